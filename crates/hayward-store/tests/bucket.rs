//! A store that is shared through a bucket: what is put there is found by others, and a
//! bucket that is slow, down, closed or full of lies costs time within bounds and nothing
//! else. The bucket is a server on loopback that checks the signatures itself.
#![allow(clippy::unwrap_used)] // helpers of tests

mod s3;

use hayward_store::{Digest, Kind, Shared, SharedPlace, Store};
use s3::{Fault, S3};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(10);

fn key(n: u64) -> Digest {
    *blake3::hash(&n.to_le_bytes()).as_bytes()
}

/// A machine that knows the secret of the store, with these variables instead of its own.
fn machine_with(folder: &Path, server: &S3, variables: &[(&str, &str)]) -> Store {
    let secret = folder.join("secret");
    std::fs::write(&secret, [7; 32]).unwrap();
    let place = SharedPlace::of(|name| {
        if let Some((_, value)) = variables.iter().find(|(n, _)| *n == name) {
            return Some(OsString::from(value));
        }
        Some(match name {
            "HAYWARD_SHARED_STORE" => "s3://team-store/ci/one".into(),
            "HAYWARD_SHARED_SECRET" => secret.clone().into(),
            "AWS_ENDPOINT_URL" => server.endpoint().into(),
            "AWS_REGION" => s3::REGION.into(),
            "AWS_ACCESS_KEY_ID" => s3::ID.into(),
            "AWS_SECRET_ACCESS_KEY" => s3::SECRET.into(),
            "AWS_SESSION_TOKEN" => s3::TOKEN.into(),
            _ => return None,
        })
    });
    let place = place.unwrap().unwrap();
    Store::OFF.beside(Shared::open(&place, "build", 1 << 20).unwrap())
}

fn machine(folder: &Path, server: &S3) -> Store {
    machine_with(folder, server, &[])
}

fn get(store: &Store, n: u64) -> Option<Vec<u8>> {
    store.get_shared(Kind::Value, &key(n))
}

#[test]
fn machines_share_what_they_put_into_a_bucket() {
    let folder = tempfile::tempdir().unwrap();
    let server = S3::begin(Fault::None);
    let one = machine(folder.path(), &server);
    assert_eq!(get(&one, 1), None);
    let large = vec![9; 1 << 20];
    one.put_shared(Kind::Value, &key(1), b"one");
    one.put_shared(Kind::Value, &key(2), &large);
    one.put_shared(Kind::Value, &key(3), b"");
    assert_eq!(one.finish(SOON), None);
    let two = machine(folder.path(), &server);
    assert_eq!(get(&two, 1).as_deref(), Some(&b"one"[..]));
    assert_eq!(get(&two, 2), Some(large));
    assert_eq!(get(&two, 3).as_deref(), Some(&b""[..]));
    assert_eq!(get(&two, 4), None);
    assert_eq!(two.get_shared(Kind::Records, &key(1)), None);
    assert_eq!(two.finish(SOON), None);
    let names = server.names();
    assert_eq!(names.len(), 3);
    // `PREFIX/xx/…`, and nothing of the key in it.
    for name in names {
        let hex = name
            .strip_prefix("/team-store/ci/one/")
            .unwrap()
            .replace('/', "");
        assert_eq!(hex.len(), 64, "{name}");
        assert!(hex.bytes().all(|b| b.is_ascii_hexdigit()), "{name}");
    }
    assert_eq!(server.refused(), Vec::<String>::new());
}

#[test]
fn who_is_nobody_is_refused_once_and_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = S3::begin(Fault::None);
    for variable in [
        ("AWS_SECRET_ACCESS_KEY", "another secret"),
        ("AWS_ACCESS_KEY_ID", "another"),
        ("AWS_REGION", "eu-south-2"),
        ("AWS_SESSION_TOKEN", "another"),
    ] {
        let store = machine_with(folder.path(), &server, &[variable]);
        store.put_shared(Kind::Value, &key(1), b"one");
        let told = store.finish(SOON).unwrap();
        assert_eq!(
            told,
            "the shared store s3://team-store/ci/one: PUT is answered with status 403, \
             SignatureDoesNotMatch"
        );
        let asked = server.asked();
        assert_eq!(get(&store, 1), None);
        store.put_shared(Kind::Value, &key(1), b"one");
        assert_eq!(store.finish(SOON), None, "it is told once");
        assert_eq!(server.asked(), asked, "and nobody asks again");
    }
    assert!(server.names().is_empty());
}

#[test]
fn nothing_in_a_bucket_is_believed_without_the_seal() {
    let folder = tempfile::tempdir().unwrap();
    let server = S3::begin(Fault::None);
    let store = machine(folder.path(), &server);
    store.put_shared(Kind::Value, &key(1), b"one");
    store.put_shared(Kind::Value, &key(2), b"two");
    assert_eq!(store.finish(SOON), None);
    let store = machine(folder.path(), &server);
    let [first, second] = server.names().try_into().unwrap();
    let (a, b) = (server.object(&first), server.object(&second));
    // Each under the other's name.
    server.set(&first, &b);
    server.set(&second, &a);
    assert_eq!((get(&store, 1), get(&store, 2)), (None, None));
    server.set(&second, &b);
    for at in 0..a.len() {
        let mut damaged = a.clone();
        damaged[at] ^= 1;
        server.set(&first, &damaged);
        let found = [get(&store, 1), get(&store, 2)];
        assert_eq!(found.iter().flatten().count(), 1, "byte {at}");
        server.set(&first, &a[..at]);
        let found = [get(&store, 1), get(&store, 2)];
        assert_eq!(found.iter().flatten().count(), 1, "cut at {at}");
    }
    server.set(&first, &a);
    assert!(get(&store, 1).is_some() && get(&store, 2).is_some());
    // What is not believed is not there, and no reason to be told.
    assert_eq!(store.finish(SOON), None);
}

/// What is told of a bucket with a fault, when it was asked for two entries and given one.
fn told(fault: Fault) -> String {
    let folder = tempfile::tempdir().unwrap();
    let server = S3::begin(fault);
    let store = machine(folder.path(), &server);
    assert_eq!(get(&store, 1), None);
    assert_eq!(get(&store, 2), None);
    store.put_shared(Kind::Value, &key(1), b"one");
    let told = store.finish(Duration::from_secs(5));
    assert_eq!(server.asked(), 1, "it is left alone after the first fault");
    assert_eq!(store.finish(SOON), None, "it is told once");
    let told = told.unwrap();
    told.strip_prefix("the shared store s3://team-store/ci/one: ")
        .unwrap()
        .to_owned()
}

#[test]
fn a_bucket_with_a_fault_is_told_of_once_and_left_alone() {
    let cases = [
        (
            Fault::Answer("500 Oops", ""),
            "GET is answered with status 500",
        ),
        (
            Fault::Answer("503 Slow", "<Error><Code>SlowDown</Code></Error>"),
            "GET is answered with status 503, SlowDown",
        ),
        (
            Fault::Answer("403 No", "<Error><Code>AccessDenied</Code></Error>"),
            "GET is answered with status 403, AccessDenied",
        ),
        (
            Fault::Answer("404 No", "<Error><Code>NoSuchBucket</Code></Error>"),
            "GET is answered with status 404, NoSuchBucket",
        ),
        (
            Fault::Answer("307 Elsewhere", "<Code>a\u{1b}[31m</Code>"),
            "GET is answered with status 307",
        ),
        (
            Fault::Answer("204 Nothing", ""),
            "GET is answered with status 204",
        ),
        (
            Fault::Truncated,
            "GET: the connection ended before its answer was whole",
        ),
        (
            Fault::Garbage,
            "GET: its answer is no HTTP: http parse fail: invalid HTTP version",
        ),
        (
            Fault::Close,
            "GET: the connection ended before its answer was whole",
        ),
        (Fault::Stall, "GET: no answer within 3 s"),
        (Fault::Drip, "GET: no answer within 3 s"),
    ];
    for (fault, expected) in cases {
        assert_eq!(told(fault), expected, "{fault:?}");
    }
    // Its size or its time, whatever is over first.
    let endless = told(Fault::Endless);
    let either = [
        "GET: the body of its answer has more than 67108864 bytes",
        "GET: no answer within 3 s",
    ];
    assert!(either.contains(&endless.as_str()), "{endless}");
}

#[test]
fn a_bucket_that_takes_no_entry_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = S3::begin(Fault::StallOnPut);
    let store = machine(folder.path(), &server);
    // More than may wait; and one that is larger than any that is put.
    for n in 0..200 {
        store.put_shared(Kind::Value, &key(n), &[7; 1000]);
    }
    store.put_shared(Kind::Value, &key(1), &vec![7; 65 << 20]);
    let told = store.finish(Duration::from_millis(300)).unwrap();
    assert!(
        told.ends_with("what was found is not put there within 0.3 s"),
        "{told}"
    );
    // The others did not wait for the first, which is still on its way.
    assert_eq!(server.asked(), 1);
}

#[test]
fn a_bucket_that_is_not_there_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let server = S3::begin(Fault::None);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let store = machine_with(
        folder.path(),
        &server,
        &[("AWS_ENDPOINT_URL_S3", &endpoint)],
    );
    assert_eq!(get(&store, 1), None);
    let told = store.finish(SOON).unwrap();
    assert!(told.contains("GET: Connection refused"), "{told}");
}

#[test]
fn a_place_that_is_no_bucket_is_refused() {
    let of = |place: &str, region: Option<&str>| {
        let refused = SharedPlace::of(|name| match name {
            "HAYWARD_SHARED_STORE" => Some(place.into()),
            "AWS_REGION" => region.map(OsString::from),
            _ => Some("set".into()),
        });
        refused.unwrap_err().to_string()
    };
    assert_eq!(
        of("s3://store", None),
        "HAYWARD_SHARED_STORE names no bucket that can be asked: AWS_REGION is not set"
    );
    assert_eq!(
        of("gs://store", None),
        "HAYWARD_SHARED_STORE is a folder or `s3://bucket/prefix`, and not `gs://…`"
    );
    assert_eq!(
        of("s3://Store", Some("x")),
        "HAYWARD_SHARED_STORE names no bucket that can be asked: `Store` is no bucket: 3 to 63 \
         small letters, digits, `-` and `.`"
    );
}
