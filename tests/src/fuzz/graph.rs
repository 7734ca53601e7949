//! Any bytes as a pickle alone: it is refused, or each node of its graph is valid, and the memory is linear in the bytes.

use npy_pickle::print::{Plain, text};
use npy_pickle::{
    BigInt, Encoding, Id, Items, NONE, Node, Objects, Pickle, decode_bytes, decode_code_points,
    decode_text, parse,
};

const ENCODINGS: [Encoding; 3] = [Encoding::Ascii, Encoding::Latin1, Encoding::Bytes];

pub(super) fn run(input: &[u8]) {
    let Ok(pickle) = Pickle::new(input.to_vec()) else { return };
    assert!(pickle.bytes.len() <= input.len(), "a pickle is not longer than its bytes");
    assert!(pickle.nodes <= 3 * pickle.bytes.len(), "an opcode makes at most three nodes");
    let Ok(graph) = parse(&pickle) else { return };
    let count = graph.nodes().len();
    assert!(count <= pickle.nodes + 1, "more nodes than the scan has counted");
    let is_node = |id: Id| usize::try_from(id).unwrap() < count;
    let check = |items: Items| assert!(graph.items(items).iter().all(|&id| is_node(id)));
    assert!(is_node(graph.root()));
    for (module, name) in graph.names(&pickle.bytes) {
        graph.is_harmless(&pickle.bytes, &module, &name);
    }
    for &node in graph.nodes() {
        match node {
            Node::Data(form, data) => {
                let bytes = data.of(&pickle.bytes);
                for encoding in ENCODINGS {
                    let points = decode_code_points(form, bytes, encoding);
                    if let Ok(text) = decode_text(form, bytes, encoding) {
                        assert!(
                            points.is_some_and(|points| text.chars().map(u32::from).eq(points))
                        );
                    }
                }
                let integers = [BigInt::Binary(bytes), BigInt::Decimal(bytes)];
                let _ = (decode_bytes(form, bytes), integers.map(|integer| integer.to_string()));
            }
            Node::List(items) | Node::Tuple(items) | Node::Set(items) | Node::FrozenSet(items) => {
                check(items);
            }
            Node::Dict(items) => {
                check(items);
                assert!(graph.items(items).len().is_multiple_of(2), "a key without a value");
            }
            Node::Global(module, name) => assert!(is_node(module) && is_node(name)),
            Node::Call(index) => {
                let call = graph.call(index).expect("a call that exists");
                assert!(is_node(call.callable) && is_node(call.arguments));
                assert!(call.state == NONE || is_node(call.state));
                check(call.items);
                check(call.pairs);
            }
            _ => {}
        }
    }
    for encoding in ENCODINGS {
        objects(&pickle, count, encoding);
    }
}

/// Reads the value of each node and prints it, which ends even if a node is within itself.
fn objects(pickle: &Pickle, count: usize, encoding: Encoding) {
    /// Printing a long object takes time; this number of parts reaches every kind.
    const PARTS: usize = 200;
    let objects = Objects::new(pickle.clone(), encoding, None).expect("its graph was parsed");
    for id in 0..u32::try_from(count).expect("it fits") {
        let object = objects.object(id);
        let _ = object.value();
        let printed = text(object, PARTS, &Plain);
        assert!(!printed.is_empty(), "every object has a text");
    }
}

/// The pickles of the corpus.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    super::pickle::seeds().into_iter().map(|seed| seed[1..].to_vec()).collect()
}
