//! Numbers: arithmetic that refuses instead of wrapping, and conversions that
//! refuse instead of rounding.

use crate::refusal::{Step, broken, fault, refuse};
use dag_analysis::core::BinaryOp;
use dag_syntax::Code;

/// Arithmetic on whole numbers.
pub(crate) fn int(op: BinaryOp, a: i64, b: i64) -> Step<i64> {
    let (sign, result) = match op {
        BinaryOp::Add => ("+", a.checked_add(b)),
        BinaryOp::Subtract => ("-", a.checked_sub(b)),
        BinaryOp::Multiply => ("*", a.checked_mul(b)),
        BinaryOp::Divide | BinaryOp::Remainder if b == 0 => {
            return refuse(Code::DivisionByZero, format!("{a} is divided by zero"));
        }
        BinaryOp::Divide => ("/", a.checked_div(b)),
        BinaryOp::Remainder => ("%", a.checked_rem(b)),
        _ => return Err(broken("a comparison as arithmetic")),
    };
    result.ok_or_else(|| {
        fault(
            Code::Overflow,
            format!("{a} {sign} {b} does not fit in 64 bits, signed"),
        )
    })
}

/// Arithmetic on floats.
pub(crate) fn float(op: BinaryOp, a: f64, b: f64) -> Step<f64> {
    let (sign, result) = match op {
        BinaryOp::Add => ("+", a + b),
        BinaryOp::Subtract => ("-", a - b),
        BinaryOp::Multiply => ("*", a * b),
        BinaryOp::Divide | BinaryOp::Remainder if b == 0.0 => {
            return refuse(Code::DivisionByZero, format!("{a:?} is divided by zero"));
        }
        BinaryOp::Divide => ("/", a / b),
        BinaryOp::Remainder => ("%", a % b),
        _ => return Err(broken("a comparison as arithmetic")),
    };
    finite(result, || format!("{a:?} {sign} {b:?}"))
}

/// A float that arithmetic gave, if it is finite.
pub(crate) fn finite(result: f64, what: impl FnOnce() -> String) -> Step<f64> {
    if result.is_finite() {
        return Ok(result);
    }
    let message = format!("{} is not a finite number", what());
    refuse(Code::Overflow, message)
}

/// A power with an exponent from zero up; the zeroth of any number is 1.
pub(crate) fn pow(base: i64, exponent: i64) -> Step<i64> {
    let power = match (base, u32::try_from(exponent)) {
        (_, Ok(exponent)) => base.checked_pow(exponent),
        (0 | 1, Err(_)) => Some(base),
        (-1, Err(_)) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        (_, Err(_)) => None,
    };
    power.ok_or_else(|| {
        fault(
            Code::Overflow,
            format!("{base} to the power of {exponent} does not fit in 64 bits, signed"),
        )
    })
}

/// The number that a text spells as `-12.5e+3`, point and exponent as wanted; none
/// if it spells none, or one that is too large.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let exponent = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
    let spelt = digits(whole) && fraction.is_none_or(digits) && exponent.is_none_or(digits);
    let number: f64 = spelt.then(|| text.parse().ok()).flatten()?;
    number.is_finite().then_some(number)
}

/// The float that is exactly this number.
pub(crate) fn to_float(n: i64) -> Step<f64> {
    let float = n as f64;
    if float as i128 == i128::from(n) {
        return Ok(float);
    }
    refuse(Code::ConversionRefused, format!("{n} has no exact Float"))
}

/// The whole number that is exactly this float.
pub(crate) fn to_int(n: f64) -> Step<i64> {
    // 2^63 is the first float past the range; -2^63 is in it.
    const END: f64 = 9_223_372_036_854_775_808.0;
    if n.fract() == 0.0 && (-END..END).contains(&n) {
        return Ok(n as i64);
    }
    refuse(
        Code::ConversionRefused,
        format!("{n:?} is not a whole number of 64 bits, signed"),
    )
}

#[cfg(test)]
mod tests {
    use super::{to_float, to_int};

    #[test]
    fn conversions_are_exact_or_refused() {
        assert_eq!(to_float(1 << 53).unwrap(), 9_007_199_254_740_992.0);
        assert!(to_float((1 << 53) + 1).is_err());
        assert!(to_float(i64::MAX).is_err());
        assert_eq!(to_int(to_float(i64::MIN).unwrap()).unwrap(), i64::MIN);
        assert!(to_int(9_223_372_036_854_775_808.0).is_err());
        assert!(to_int(1.5).is_err());
        assert_eq!(to_int(-2.0).unwrap(), -2);
    }
}
