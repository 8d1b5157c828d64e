//! Bytes as lower-case hexadecimal digits.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The digits that spell these bytes.
pub(crate) fn encode(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|half| char::from(DIGITS[usize::from(half)]))
        .collect()
}

/// The `N` bytes that these digits spell; only the spelling of [`encode`] counts,
/// so that equal bytes have one text.
pub(crate) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

fn digit(letter: u8) -> Option<u8> {
    match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn there_and_back() {
        let bytes: [u8; 256] = std::array::from_fn(|i| u8::try_from(i).unwrap());
        assert_eq!(decode::<256>(&encode(&bytes)), Some(bytes));
        for bad in ["", "0", "0g", "0G", "AB", "+1", "é"] {
            assert_eq!(decode::<1>(bad), None, "{bad}");
        }
    }
}
