//! Addresses inside the documentation. A module's page is `modules/NAME.EXT`, so that no
//! module's name meets that of another file.

/// The folder of the modules' pages.
pub(crate) const FOLDER: &str = "modules";

/// The path of a module's page.
pub(crate) fn page(module: &str, extension: &str) -> String {
    format!("{FOLDER}/{module}.{extension}")
}

/// An address in an annotation, if a reader may be sent there: the web, or a mail. Other
/// schemes can run code, and a relative path leads nowhere from here.
pub(crate) fn outside(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once(':')?;
    let known = ["http", "https", "mailto"];
    let fits = known.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let plain = !rest.is_empty() && !address.chars().any(|c| c.is_control() || c == ' ');
    (fits && plain).then_some(address)
}
