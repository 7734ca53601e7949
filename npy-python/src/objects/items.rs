//! Sets the objects of an array, or its records.

use npy_pickle::Id;
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

use super::{Builder, of_value};
use crate::error::busy;

/// The objects of an array that are made before they are set: they are still in the cache.
const ARRAY_BLOCK: usize = 4096;

impl<'py, 'a> Builder<'py, 'a> {
    /// Makes and sets the objects of an array, block by block.
    pub(super) fn set_items(
        &mut self,
        pickle: &'a npy_pickle::Objects,
        node: Option<Id>,
        array: &Bound<'py, PyAny>,
        ids: &[Id],
    ) -> PyResult<()> {
        let dtype = array.getattr("dtype")?;
        let in_order = array.getattr("flags")?.getattr("c_contiguous")?.is_truthy()?;
        match array.cast::<PyArrayDyn<Py<PyAny>>>() {
            Ok(objects) if in_order => self.set_objects(pickle, objects, ids)?,
            _ => self.copy_items(pickle, array, &dtype, in_order, ids)?,
        }
        if let Some(node) = node {
            let inner = ids.iter().filter(|id| self.arrays.contains_key(id));
            self.nested.extend(inner.map(|&id| (node, id)));
        }
        Ok(())
    }

    /// Puts objects into the memory of an array in C order.
    fn set_objects(
        &mut self,
        pickle: &'a npy_pickle::Objects,
        array: &Bound<'py, PyArrayDyn<Py<PyAny>>>,
        ids: &[Id],
    ) -> PyResult<()> {
        for (block, first) in ids.chunks(ARRAY_BLOCK).zip((0..).step_by(ARRAY_BLOCK)) {
            self.py.check_signals()?;
            for &id in block {
                self.make(pickle, id)?;
            }
            let mut memory = array.try_readwrite().map_err(busy)?;
            let slots = memory.as_slice_mut()?.iter_mut().skip(first);
            for (slot, &id) in slots.zip(block) {
                *slot = self.value(id)?.unbind();
            }
        }
        Ok(())
    }

    /// Copies records, or objects that are in another order than C, from an array that NumPy makes of them.
    fn copy_items(
        &mut self,
        pickle: &'a npy_pickle::Objects,
        array: &Bound<'py, PyAny>,
        dtype: &Bound<'py, PyAny>,
        in_order: bool,
        ids: &[Id],
    ) -> PyResult<()> {
        if !in_order {
            // `reshape` would copy the array, so the objects are set all at once.
            let objects = self.array_of_values(pickle, dtype, ids)?;
            let objects = objects.call_method1("reshape", (array.getattr("shape")?,))?;
            return self.python.numpy.call_method1("copyto", (array, objects)).map(drop);
        }
        let flat = array.call_method1("reshape", (-1,))?;
        let names = field_names(dtype)?;
        let names = if names.is_empty() || has_parts(dtype)? { None } else { Some(names) };
        for (block, first) in ids.chunks(ARRAY_BLOCK).zip((0..).step_by(ARRAY_BLOCK)) {
            self.py.check_signals()?;
            let slice = PySlice::new(self.py, first, first + block.len() as isize, 1);
            let records = names.as_ref().and_then(|names| records(pickle, block, names.len()));
            match (records, &names) {
                (Some(records), Some(names)) => {
                    let to = flat.get_item(slice)?;
                    self.set_fields(pickle, &to, dtype, names, &records)?;
                }
                _ => flat.set_item(slice, self.array_of_values(pickle, dtype, block)?)?,
            }
        }
        Ok(())
    }

    /// Makes an array of one dimension.
    fn array_of_values(
        &mut self,
        pickle: &'a npy_pickle::Objects,
        dtype: &Bound<'py, PyAny>,
        ids: &[Id],
    ) -> PyResult<Bound<'py, PyAny>> {
        for &id in ids {
            self.make(pickle, id)?;
        }
        if dtype.getattr("itemsize")?.extract::<usize>()? == 0 {
            // Text without characters has one value, and `fromiter` refuses it.
            return self.python.numpy.call_method1("ndarray", (ids.len(), dtype));
        }
        let list = PyList::new(self.py, self.values(ids)?)?;
        // `fromiter` takes each object as it is; an assignment would look into lists.
        self.python.numpy.call_method1("fromiter", (list, dtype, ids.len())).map_err(of_value)
    }

    /// Sets records field by field, so that no tuples are made of them.
    fn set_fields(
        &mut self,
        pickle: &'a npy_pickle::Objects,
        to: &Bound<'py, PyAny>,
        dtype: &Bound<'py, PyAny>,
        names: &[Bound<'py, PyAny>],
        records: &[&[Id]],
    ) -> PyResult<()> {
        for (i, name) in names.iter().enumerate() {
            let ids: Vec<Id> = records.iter().filter_map(|record| record.get(i).copied()).collect();
            to.set_item(name, self.array_of_values(pickle, &dtype.get_item(name)?, &ids)?)?;
        }
        Ok(())
    }
}

/// Returns the names of the fields of records.
fn field_names<'py>(dtype: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let names = dtype.getattr("names")?;
    if names.is_none() { Ok(Vec::new()) } else { names.try_iter()?.collect() }
}

/// Returns the parts of records; `None` if one of them is not a tuple of this length.
fn records<'a>(
    pickle: &'a npy_pickle::Objects,
    ids: &[Id],
    fields: usize,
) -> Option<Vec<&'a [Id]>> {
    let record = |&id| pickle.object(id).tuple().filter(|parts| parts.len() == fields);
    ids.iter().map(record).collect()
}

/// Returns true for records with a field that is a sub-array or a record.
pub(super) fn has_parts(dtype: &Bound<'_, PyAny>) -> PyResult<bool> {
    for name in field_names(dtype)? {
        let field = dtype.get_item(name)?;
        if !field.getattr("subdtype")?.is_none() || !field.getattr("names")?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}
