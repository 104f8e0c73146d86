/// The connections of one event thread that wait for their clients, in the order in which they were added.
///
/// Adding and removing take constant time, because both happen for each request.
struct WaitingList {
    private struct Node {
        var connection: Connection?
        var previous: Int
        var next: Int
    }

    /// The first node stands for the beginning and the end of the list.
    private var nodes = [Node(connection: nil, previous: 0, next: 0)]
    private var free: [Int] = []

    /// Adds a connection at the end.
    ///
    /// - Returns: The connection's place, for `remove`.
    mutating func append(_ connection: Connection) -> Int {
        let last = nodes[0].previous
        let node = Node(connection: connection, previous: last, next: 0)
        let place: Int
        if let reused = free.popLast() {
            place = reused
            nodes[place] = node
        } else {
            place = nodes.count
            nodes.append(node)
        }
        nodes[last].next = place
        nodes[0].previous = place
        return place
    }

    /// Removes the connection at a place.
    mutating func remove(_ place: Int) {
        let node = nodes[place]
        nodes[node.previous].next = node.next
        nodes[node.next].previous = node.previous
        nodes[place].connection = nil
        free.append(place)
    }

    /// Visits the connections from the first on, until the body returns false.
    func visit(_ body: (Connection) -> Bool) {
        var place = nodes[0].next
        while place != 0, let connection = nodes[place].connection, body(connection) { place = nodes[place].next }
    }
}
