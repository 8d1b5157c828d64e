//! Measures Hayward beside other configuration languages, on models that are generated here.

mod files;
mod model;
mod text;

use std::path::Path;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: usize = args[2].parse().unwrap();
    files::write_all(Path::new(&args[1]), &model::hayward::files(&model::Model::new(n))).unwrap();
}
