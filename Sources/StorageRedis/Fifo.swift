/// A queue whose first element is taken in constant time.
struct Fifo<Element> {
    private var elements: [Element] = []
    private var head = 0

    var count: Int { elements.count - head }
    var first: Element? { head < elements.count ? elements[head] : nil }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 1024)
            head = 0
        } else if head >= 1024 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Puts elements before all others, in their order.
    mutating func prepend(_ others: [Element]) {
        elements.replaceSubrange(..<head, with: others)
        head = 0
    }

    /// All elements, in their order.
    var all: ArraySlice<Element> { elements[head...] }

    /// Takes the elements that fit, in their order.
    mutating func removeAll(where fits: (Element) -> Bool) -> [Element] {
        let taken = all.filter(fits)
        (elements, head) = (all.filter { !fits($0) }, 0)
        return taken
    }

    /// Takes all elements.
    mutating func removeAll() -> [Element] {
        defer { self = Fifo() }
        return Array(elements[head...])
    }
}
