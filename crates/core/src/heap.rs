//! Binary heaps in a slice, whose order is a function: the first element is before all others.

/// Moves the last element of a heap up to its position.
pub(crate) fn sift_up<T>(heap: &mut [T], is_before: impl Fn(&T, &T) -> bool) {
    let mut at = heap.len() - 1;
    while at > 0 && is_before(&heap[at], &heap[(at - 1) / 2]) {
        heap.swap(at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

/// Moves the element at `at` of a heap down to its position.
pub(crate) fn sift_down<T>(heap: &mut [T], mut at: usize, is_before: impl Fn(&T, &T) -> bool) {
    loop {
        let mut child = 2 * at + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && is_before(&heap[child + 1], &heap[child]) {
            child += 1;
        }
        if !is_before(&heap[child], &heap[at]) {
            return;
        }
        heap.swap(at, child);
        at = child;
    }
}
