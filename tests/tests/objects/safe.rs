//! Pickles that would do something in Python: they are read as data that says so, or are refused.

use super::*;

#[test]
fn a_call_of_the_system_is_data() {
    for (opcodes, name, argument) in [
        (&b"cos\nsystem\nX\x08\0\0\0rm -rf /\x85R"[..], "os.system", "rm -rf /"),
        (b"\x8c\x05posix\x8c\x06system\x93\x8c\x02id\x85R", "posix.system", "id"),
        (b"cbuiltins\neval\nV1+1\n\x85R", "builtins.eval", "1+1"),
        (b"(S'ls'\nisubprocess\nPopen\n", "subprocess.Popen", "ls"),
        (b"(c__builtin__\nexec\nS'x'\no", "__builtin__.exec", "x"),
        (b"cos\nsystem\nX\x01\0\0\0a\x85\x81", "os.system", "a"),
        (b"cos\nsystem\nX\x01\0\0\0a\x85}\x92", "os.system", "a"),
    ] {
        let objects = survives(name, &one(opcodes));
        let object = objects.root();
        assert!(objects.globals().any(|global| global == name), "{name}");
        assert_eq!((object.kind(), object.name().as_deref()), (Kind::Object, Some(name)));
        let shown = object.to_string();
        assert!(shown.starts_with(&format!("<{name}")) && shown.contains(argument), "{shown}");
        assert!(object.arguments().unwrap().to_string().contains(argument), "{shown}");
        let error = Vec::<Option<String>>::read_npy_from(&one(opcodes)[..]).unwrap_err();
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn a_call_may_hide_anywhere() {
    let call = b"cos\nsystem\nX\x02\0\0\0id\x85R";
    for opcodes in [
        // A key, a state, an item that is thrown away, a callable, the reconstruction of an array.
        [b"}", &call[..], b"Ns"].concat(),
        [b"ca\nb\n)R", &call[..], b"b"].concat(),
        [&call[..], b"0N"].concat(),
        [&call[..], b")R"].concat(),
        [b"cnumpy.core.multiarray\n_reconstruct\n", &call[..], b"K\0\x85C\x01b\x87R"].concat(),
    ] {
        let objects = survives("a hidden call", &one(&opcodes));
        assert!(objects.globals().any(|global| global == "os.system"));
    }
}

#[test]
fn what_needs_another_program_is_refused_by_name() {
    for (opcodes, reason) in [
        (&b"Pid\n"[..], "persistent id"),
        (b"NQ", "persistent id"),
        (b"\x82\x01", "extension code"),
        (b"\x83\x01\0", "extension code"),
        (b"\x84\x01\0\0\0", "extension code"),
        (b"\x97", "buffer"),
        (b"N\x98", "buffer"),
        (b"\x80\x06N", "protocol 6"),
        (b"\xff", "not an opcode"),
        (b"\0", "not an opcode"),
    ] {
        let message = refused(&one(opcodes));
        assert!(message.contains(reason), "{message}");
    }
}

/// Opcodes that Python refuses, too: there is no object, no mark, or another object than they need.
#[test]
fn opcodes_without_their_objects_are_refused() {
    for opcodes in [
        &b"(0"[..],
        b"(00N",
        b"1N1",
        b"t",
        b"l",
        b"d",
        b"e",
        b"u",
        b"\x90",
        b"\x91",
        b"(Nd",
        b"}(Nu",
        b"Na",
        b"NNa",
        b"N(Ne",
        b"NNNs",
        b"](NNu",
        b"}Na",
        b"}(N\x90",
        b"NNb",
        b"]Nb",
        b"NNR",
        b"N]R",
        b"NN\x81",
        b"NNN\x92",
        b"N)N\x92",
        b"NN}\x92",
        b"NN\x93",
        b"C\x01aC\x01b\x93",
        b"(o",
        b"(No",
        b"(]Nao",
        b"Ix\n",
        b"I\n",
        b"L1x\n",
        b"Fx\n",
        b"F1.5.5\n",
        b"(i\n\x85\x87\x87",
        b"\x85\x85(R",
    ] {
        let alone = [header("'|O'", "()"), opcodes.to_vec(), b".".to_vec()].concat();
        refused(&alone);
        // Within an array, an opcode finds objects of the array.
        let _ = Objects::read_npy_from(&one(opcodes)[..]);
    }
}
