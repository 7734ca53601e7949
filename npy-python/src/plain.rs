//! Objects that would not come back as they were when a file is loaded as data.
//!
//! The walk does not recurse, and looks once at what is shared or in a circle. Most parts are of a few types, which are known by the address
//! of the type.

use std::collections::HashSet;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet, PyTuple};
use pyo3::{PyTypeInfo, intern};

/// Returns the place and the type of an object in an array that would not come back as it was.
///
/// `atoms` are types of values without parts, and `is_plain` decides about values of other types, except containers.
#[pyfunction]
pub(crate) fn odd_object<'py>(
    array: Bound<'py, PyAny>,
    atoms: Vec<Bound<'py, PyAny>>,
    is_plain: Bound<'py, PyAny>,
) -> PyResult<Option<String>> {
    let mut walk = Walk {
        ndarray: address(&array.py().import("numpy")?.getattr("ndarray")?),
        atoms: atoms.iter().map(address).collect(),
        last: 0,
        is_plain,
        seen: HashSet::new(),
        steps: Vec::new(),
        stack: vec![(array, None)],
    };
    walk.run()
}

/// A step from an object to a part of it, and the step to that object.
struct Step<'py> {
    within: Option<usize>,
    key: Key<'py>,
}

enum Key<'py> {
    Index(usize),
    /// The key of a dict, or the name of a field.
    Name(Bound<'py, PyAny>),
    Element,
    /// The number of an element of an array of this shape, in C order.
    InArray(usize, Vec<usize>),
}

struct Walk<'py> {
    ndarray: usize,
    atoms: HashSet<usize>,
    /// The type of the last atom.
    last: usize,
    is_plain: Bound<'py, PyAny>,
    /// The array keeps these objects, so that no other object gets their address.
    seen: HashSet<usize>,
    steps: Vec<Step<'py>>,
    /// Containers, each with the index of the step to it.
    stack: Vec<(Bound<'py, PyAny>, Option<usize>)>,
}

impl<'py> Walk<'py> {
    fn run(&mut self) -> PyResult<Option<String>> {
        let mut number = 0_u32;
        while let Some((container, step)) = self.stack.pop() {
            number = number.wrapping_add(1);
            if number.is_multiple_of(4096) {
                container.py().check_signals()?;
            }
            let odd = self.parts(&container, step)?;
            if odd.is_some() {
                return Ok(odd);
            }
        }
        Ok(None)
    }

    /// Looks at the parts of a container.
    fn parts(
        &mut self,
        container: &Bound<'py, PyAny>,
        within: Option<usize>,
    ) -> PyResult<Option<String>> {
        if let Ok(list) = container.cast_exact::<PyList>() {
            return self.each(list.iter().enumerate(), within, Key::Index);
        }
        if let Ok(tuple) = container.cast_exact::<PyTuple>() {
            return self.each(tuple.iter().enumerate(), within, Key::Index);
        }
        if let Ok(dict) = container.cast_exact::<PyDict>() {
            let odd = self.each(dict.iter(), within, Key::Name)?;
            let keys = || dict.iter().map(|(key, _)| (key.clone(), key));
            return if odd.is_some() { Ok(odd) } else { self.each(keys(), within, Key::Name) };
        }
        let element = |()| Key::Element;
        if let Ok(set) = container.cast_exact::<PySet>() {
            return self.each(set.iter().map(|value| ((), value)), within, element);
        }
        if let Ok(set) = container.cast_exact::<PyFrozenSet>() {
            return self.each(set.iter().map(|value| ((), value)), within, element);
        }
        self.array(container, within)
    }

    /// Looks at the objects of an array, or notes the fields of its records.
    fn array(
        &mut self,
        array: &Bound<'py, PyAny>,
        within: Option<usize>,
    ) -> PyResult<Option<String>> {
        let py = array.py();
        let dtype = array.getattr(intern!(py, "dtype"))?;
        let names = dtype.getattr(intern!(py, "names"))?;
        if !dtype.getattr(intern!(py, "hasobject"))?.is_truthy()? {
            return Ok(None);
        }
        if names.is_none() {
            let shape: Vec<usize> = array.getattr(intern!(py, "shape"))?.extract()?;
            let flat = array.call_method0(intern!(py, "ravel"))?;
            let list = flat.call_method0(intern!(py, "tolist"))?.cast_into::<PyList>()?;
            let key = |index| Key::InArray(index, shape.clone());
            return self.each(list.iter().enumerate(), within, key);
        }
        for name in names.try_iter()? {
            let name = name?;
            let field = array.get_item(&name)?;
            let step = self.step(within, Key::Name(name));
            self.stack.push((field, Some(step)));
        }
        Ok(None)
    }

    fn step(&mut self, within: Option<usize>, key: Key<'py>) -> usize {
        self.steps.push(Step { within, key });
        self.steps.len() - 1
    }

    /// Looks at parts with their keys. Returns the text about the first that is odd.
    fn each<K>(
        &mut self,
        parts: impl Iterator<Item = (K, Bound<'py, PyAny>)>,
        within: Option<usize>,
        key_of: impl Fn(K) -> Key<'py>,
    ) -> PyResult<Option<String>> {
        for (key, part) in parts {
            let kind = part.get_type_ptr() as usize;
            if kind == self.last {
                continue;
            }
            if self.atoms.contains(&kind) {
                self.last = kind;
                continue;
            }
            if self.is_container(&part)? {
                if self.seen.insert(address(&part)) {
                    let step = self.step(within, key_of(key));
                    self.stack.push((part, Some(step)));
                }
            } else if !self.is_plain.call1((&part,))?.is_truthy()? {
                let step = self.step(within, key_of(key));
                return self.text(step, &part).map(Some);
            }
        }
        Ok(None)
    }

    fn is_container(&self, part: &Bound<'py, PyAny>) -> PyResult<bool> {
        let (py, kind) = (part.py(), part.get_type_ptr());
        if kind as usize == self.ndarray {
            // An array of `StringDType` is a pickle of calls.
            return part.getattr(intern!(py, "dtype"))?.getattr(intern!(py, "kind"))?.ne("T");
        }
        Ok(kind == PyList::type_object_raw(py)
            || kind == PyDict::type_object_raw(py)
            || kind == PyTuple::type_object_raw(py)
            || kind == PySet::type_object_raw(py)
            || kind == PyFrozenSet::type_object_raw(py))
    }

    /// The place and the type of an object: `array[3]['zone'] is a zoneinfo.ZoneInfo`.
    fn text(&self, step: usize, part: &Bound<'py, PyAny>) -> PyResult<String> {
        let (mut keys, mut next) = (Vec::new(), Some(step));
        while let Some(Step { within, key }) = next.and_then(|step| self.steps.get(step)) {
            keys.push(match key {
                Key::Index(index) => index.to_string(),
                Key::Name(name) => name.repr()?.to_string(),
                Key::Element => "element".to_owned(),
                Key::InArray(number, shape) => indices(*number, shape),
            });
            next = *within;
        }
        keys.reverse();
        let kind = part.get_type();
        let (module, name) = (kind.module()?, kind.qualname()?);
        Ok(format!("array[{}] is a {module}.{name}", keys.join("][")))
    }
}

/// The indices of an element, by its number in C order.
fn indices(number: usize, shape: &[usize]) -> String {
    let (mut rest, mut indices) = (number, Vec::new());
    for &n in shape.iter().rev() {
        indices.push((rest % n.max(1)).to_string());
        rest /= n.max(1);
    }
    indices.reverse();
    if indices.is_empty() { "()".to_owned() } else { indices.join(", ") }
}

fn address(object: &Bound<'_, PyAny>) -> usize {
    object.as_ptr() as usize
}
