//! Files of an S3 server that others have written: moto, which `NPY_MOTO` names. `cargo xtask test --all` installs it.

#[path = "../../npy-datafusion/tests/support/program.rs"]
mod program;

use std::process::{Command, Output};

use npy_core::{WriteNpy, npz};
use program::Server;

/// Guards S3, as moto has it: reads, its errors, and a file that is replaced.
#[test]
fn s3_has_files() {
    let server = Server::start("NPY_MOTO", |_, port| {
        ["-H", "127.0.0.1", "-p", port].map(str::to_owned).into()
    });
    let values: Vec<f64> = (0..1_000_000).map(f64::from).collect();
    let mut bytes = Vec::new();
    values.write_npy_to(&mut bytes).unwrap();
    let mut archive = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    archive.write("a", &values).unwrap();
    archive.write("b", &vec![1u8, 2, 3]).unwrap();
    server.put("bucket", b"");
    server.put("bucket/dir/x%20y.npy", &bytes);
    server.put("bucket/x.npz", &archive.finish().unwrap().into_inner());
    let run = |args: &[&str]| -> Output {
        Command::new(env!("CARGO_BIN_EXE_npy"))
            .args(args)
            .env("NO_PROXY", "127.0.0.1")
            .env("AWS_ENDPOINT_URL", server.address())
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_ACCESS_KEY_ID", "key")
            .env("AWS_SECRET_ACCESS_KEY", "secret")
            .env("AWS_REGION", "us-east-1")
            .output()
            .unwrap()
    };
    for (args, expected) in [
        (&["info", "s3://bucket/dir/x y.npy"][..], "(1000000,)"),
        (&["cat", "s3://bucket/dir/x%20y.npy[-2:]"], "999999"),
        (&["stats", "s3://bucket/dir/x y.npy"], "499,999.5"),
        (&["npz", "list", "s3://bucket/x.npz"], "a\nb\n"),
        (&["cat", "s3://bucket/x.npz::a[777777]"], "777777"),
        (&["verify", "s3://bucket/x.npz"], "ok"),
    ] {
        let output = run(args);
        let text = String::from_utf8_lossy(&output.stdout);
        let error = String::from_utf8_lossy(&output.stderr);
        let plain = text.replace(',', "");
        let is_found = text.contains(expected) || plain.contains(&expected.replace(',', ""));
        assert!(output.status.success() && is_found, "{args:?}: {text}{error}");
    }
    for (url, expected) in [
        ("s3://bucket/none.npy", "there is no such file; check the URL"),
        ("s3://none/x.npy", "there is no such bucket (404 NoSuchBucket)"),
    ] {
        let output = run(&["head", url]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(expected), "{error}");
    }
}
