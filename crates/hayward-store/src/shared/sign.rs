//! The signature of a request to S3: Signature Version 4, as "Authenticating Requests:
//! Using the Authorization Header" of the Amazon S3 API Reference has it.
//!
//! It is written here because the crates that sign bring more than they spare: rusty-s3
//! takes 37, most of them for addresses in Unicode, which a bucket has none of.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Who signs, and for which region.
pub(super) struct Signer<'a> {
    pub(super) id: &'a str,
    pub(super) secret: &'a str,
    pub(super) region: &'a str,
}

impl Signer<'_> {
    /// The header `Authorization` of a request without a query. The path is encoded; the
    /// headers are sorted, their names in small letters, and one of them is
    /// `x-amz-content-sha256`. The time is `YYYYMMDDTHHMMSSZ`.
    pub(super) fn authorization(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        time: &str,
    ) -> String {
        let date = time.split('T').next().unwrap_or(time);
        let scope = format!("{date}/{}/s3/aws4_request", self.region);
        let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(";");
        let payload = headers.iter().find(|(n, _)| n == "x-amz-content-sha256");
        let payload = payload.map_or("UNSIGNED-PAYLOAD", |(_, hash)| hash);
        let mut request = format!("{method}\n{path}\n\n");
        for (name, value) in headers {
            let _ = writeln!(request, "{name}:{}", value.trim());
        }
        let _ = write!(request, "\n{names}\n{payload}");
        let text = format!(
            "AWS4-HMAC-SHA256\n{time}\n{scope}\n{}",
            sha256(request.as_bytes())
        );
        let mut key = mac(format!("AWS4{}", self.secret).as_bytes(), date);
        for part in [self.region, "s3", "aws4_request"] {
            key = mac(&key, part);
        }
        let signature = hex(&mac(&key, &text));
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={signature}",
            self.id
        )
    }
}

/// SHA-256 in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    // HMAC takes a key of any length (RFC 2104 section 2), so there is one.
    match Hmac::<Sha256>::new_from_slice(key) {
        Ok(mut mac) => {
            mac.update(text.as_bytes());
            mac.finalize().into_bytes().to_vec()
        }
        Err(_) => Vec::new(),
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Signer, sha256};

    /// The examples of "Signature Calculations for the Authorization Header: Transferring
    /// Payload in a Single Chunk" in the Amazon S3 API Reference.
    #[test]
    fn the_published_examples_are_signed_as_published() {
        let signer = Signer {
            id: "AKIAIOSFODNN7EXAMPLE",
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            region: "us-east-1",
        };
        let signature = |method: &str, path: &str, headers: &[(&str, &str)]| {
            let headers: Vec<(String, String)> = headers
                .iter()
                .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
                .collect();
            let header = signer.authorization(method, path, &headers, "20130524T000000Z");
            header.rsplit_once("Signature=").unwrap().1.to_owned()
        };
        let host = ("host", "examplebucket.s3.amazonaws.com");
        let time = ("x-amz-date", "20130524T000000Z");
        let empty = sha256(b"");
        let get = [
            host,
            ("range", "bytes=0-9"),
            ("x-amz-content-sha256", &empty),
            time,
        ];
        assert_eq!(
            signature("GET", "/test.txt", &get),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        let body = sha256(b"Welcome to Amazon S3.");
        let put = [
            ("date", "Fri, 24 May 2013 00:00:00 GMT"),
            host,
            ("x-amz-content-sha256", &body),
            time,
            ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ];
        assert_eq!(
            signature("PUT", "/test%24file.text", &put),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        );
    }
}
