//! What holds of a text by itself.

use super::{Holds, broken};
use dag_syntax::{
    Diagnostic, Location, SourceId, Sources, Style, Token, Tree, format, lex, parse,
    parse_expression, render_text, to_json,
};

/// Everything that holds of a text by itself.
///
/// # Errors
/// The first property that does not hold.
pub fn text_holds(text: &str) -> Holds {
    no_byte_is_lost(text)?;
    let mut sources = Sources::default();
    let source = sources.add("m.dag", text);
    places_hold(&parse(source, text.into()).1, &sources)?;
    let (tree, mistakes) = parse_expression(source, text.into());
    whole(&tree, text)?;
    places_hold(&mistakes, &sources)?;
    layout_is_stable(text)
}

/// The tokens joined are the text, and so is the tree: each token is in one innermost node, and
/// the children of a node stand in it, in order.
///
/// # Errors
/// How a byte is lost or told twice.
pub fn no_byte_is_lost(text: &str) -> Holds {
    const NAME: &str = "no byte is lost";
    let (tokens, _) = lex(SourceId(0), text);
    let mut at = 0;
    for index in 0..tokens.len() {
        let span = tokens.span(index);
        if span.start != at || text.get(span.start as usize..span.end as usize).is_none() {
            return broken(NAME, format!("token {index} is at {span:?}, not at {at}"));
        }
        at = span.end;
    }
    if at as usize != text.len() {
        return broken(NAME, format!("the tokens end at {at} of {}", text.len()));
    }
    whole(&parse(SourceId(0), text.into()).0, text)
}

/// The same of a tree.
fn whole(tree: &Tree, text: &str) -> Holds {
    const NAME: &str = "no byte is lost";
    let tokens = tree.tokens();
    let mut told = vec![0u8; tokens.len()];
    let mut todo = vec![tree.root()];
    while let Some(node) = todo.pop() {
        for (_, index) in tree.own_tokens(node) {
            if let Some(told) = told.get_mut(index) {
                *told = told.saturating_add(1);
            }
        }
        let around = tree.token_range(node);
        let mut at = around.start;
        for child in tree.children(node) {
            let range = tree.token_range(*child);
            // A node that was expected and is not there is empty, wherever it stands.
            if !range.is_empty() && (range.start < at || range.end > around.end) {
                let kinds = (tree.kind(node), tree.kind(*child));
                return broken(NAME, format!("a child leaves its node: {kinds:?}"));
            }
            at = at.max(range.end);
            todo.push(*child);
        }
    }
    let mut printed = String::new();
    for (index, told) in told.iter().enumerate() {
        let kind = tokens.kind(index);
        if !kind.is_trivia() && kind != Token::End && *told != 1 {
            let token = tree.token_text(index);
            return broken(NAME, format!("token {index} {token:?} is in {told} nodes"));
        }
        printed.push_str(tree.token_text(index));
    }
    if printed != text {
        return broken(NAME, format!("the tree prints {printed:?}"));
    }
    Ok(())
}

/// A text without a mistake in its form has one layout, which parses, has the same nodes, tokens
/// and annotations, and is its own layout.
///
/// # Errors
/// What the layout changes.
pub fn layout_is_stable(text: &str) -> Holds {
    const NAME: &str = "the layout is stable";
    let (tree, mistakes) = parse(SourceId(0), text.into());
    if !mistakes.is_empty() {
        return Ok(());
    }
    let once = format(&tree);
    let (again, mistakes) = parse(SourceId(0), once.as_str().into());
    if let Some(mistake) = mistakes.first() {
        let what = (mistake.code, &mistake.message);
        return broken(NAME, format!("the layout does not parse: {what:?}\n{once}"));
    }
    if let Some((before, after)) = differ(&meaning(&tree), &meaning(&again)) {
        return broken(
            NAME,
            format!("the layout means {after:?}, not {before:?}\n{once}"),
        );
    }
    let twice = format(&again);
    if twice != once {
        return broken(
            NAME,
            format!("the layout is laid out again:\n{once}---\n{twice}"),
        );
    }
    Ok(())
}

/// What a layout keeps: the nodes with their tokens, commas aside, and the annotations with their
/// items.
fn meaning(tree: &Tree) -> Vec<String> {
    let mut lines = Vec::new();
    let mut todo = vec![(tree.root(), 0)];
    while let Some((node, depth)) = todo.pop() {
        let tokens: Vec<&str> = tree
            .own_tokens(node)
            .filter(|(kind, _)| *kind != Token::Comma)
            .map(|(_, index)| tree.token_text(index))
            .collect();
        lines.push(format!("{depth} {:?} {tokens:?}", tree.kind(node)));
        todo.extend(tree.children(node).iter().rev().map(|c| (*c, depth + 1)));
    }
    let items = tree.children(tree.root());
    for annotation in tree.annotations() {
        let item = items.iter().position(|item| *item == annotation.item);
        lines.push(format!("{item:?} {:?}", annotation.text));
    }
    lines
}

/// The first place where two listings differ.
pub(super) fn differ(before: &[String], after: &[String]) -> Option<(String, String)> {
    let at = (0..before.len().max(after.len())).find(|i| before.get(*i) != after.get(*i))?;
    let line = |of: &[String]| of.get(at).cloned().unwrap_or_default();
    Some((line(before), line(after)))
}

/// Every place of a diagnostic, its edits' too, lies in its text and cuts no character; the
/// diagnostic is shown in at most twelve lines, the first of which has its place and its code; and
/// it is told as JSON.
///
/// # Errors
/// The diagnostic that is not so.
pub fn places_hold(diagnostics: &[Diagnostic], sources: &Sources) -> Holds {
    const NAME: &str = "every diagnostic can be shown";
    for diagnostic in diagnostics {
        let mut places: Vec<Location> = vec![diagnostic.at];
        places.extend(diagnostic.others.iter().map(|other| other.at));
        let edits = diagnostic.fix.iter().flat_map(|fix| &fix.edits);
        places.extend(edits.map(|edit| edit.at));
        for place in places {
            let (start, end) = (place.span.start as usize, place.span.end as usize);
            if sources.get(place.source).text.get(start..end).is_none() {
                return broken(NAME, format!("{place:?} is no place: {diagnostic:?}"));
            }
        }
        let shown = render_text(diagnostic, sources, Style::Plain);
        let first = shown.lines().next().unwrap_or_default();
        let code = diagnostic.code.as_str();
        let told = sources.describe(diagnostic.at);
        if shown.lines().count() > 12 || !first.contains(&format!("[{code}]: ")) {
            return broken(
                NAME,
                format!("this is not twelve lines with a head:\n{shown}"),
            );
        }
        if !first.starts_with(&told) {
            return broken(
                NAME,
                format!("the first line does not say {told}:\n{shown}"),
            );
        }
        if let Err(error) = serde_json::to_string(&to_json(diagnostic, sources)) {
            return broken(NAME, format!("no JSON: {error}: {diagnostic:?}"));
        }
    }
    Ok(())
}
