//! Groups of things that reach each other.

/// The strongly connected components of a graph, each sorted; those of one
/// node without an edge to itself are left out. Kosaraju's algorithm, with its
/// stacks on the heap: chains may be long.
pub(crate) fn components(next: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let count = next.len();
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for root in 0..count {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0usize)];
        while let Some((node, at)) = stack.last_mut() {
            let Some(target) = next[*node].get(*at) else {
                order.push(*node);
                stack.pop();
                continue;
            };
            *at += 1;
            let target = *target as usize;
            if !std::mem::replace(&mut seen[target], true) {
                stack.push((target, 0));
            }
        }
    }
    let mut previous: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (from, targets) in next.iter().enumerate() {
        for to in targets {
            previous[*to as usize].push(from as u32);
        }
    }
    let mut placed = vec![false; count];
    let mut found = Vec::new();
    for root in order.into_iter().rev() {
        if std::mem::replace(&mut placed[root], true) {
            continue;
        }
        let mut component = vec![root as u32];
        let mut todo = vec![root];
        while let Some(node) = todo.pop() {
            for from in &previous[node] {
                if !std::mem::replace(&mut placed[*from as usize], true) {
                    component.push(*from);
                    todo.push(*from as usize);
                }
            }
        }
        if component.len() > 1 || next[root].contains(&(root as u32)) {
            component.sort_unstable();
            found.push(component);
        }
    }
    found
}
