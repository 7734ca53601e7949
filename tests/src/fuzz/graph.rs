//! Any bytes as a pickle alone: it is refused, or each node of its graph is valid, and the memory is linear in the bytes.

use npy_pickle::{
    BigInt, Encoding, Id, Items, NONE, Node, Pickle, decode_bytes, decode_text, parse,
};

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
                for encoding in [Encoding::Ascii, Encoding::Latin1, Encoding::Bytes] {
                    let _ = decode_text(form, bytes, encoding);
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
}

/// The pickles of the corpus.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    super::pickle::seeds().into_iter().map(|seed| seed[1..].to_vec()).collect()
}
