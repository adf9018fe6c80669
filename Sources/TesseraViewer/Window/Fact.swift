/// A line of a panel: a name and a value, which can be a link.
struct Fact: Hashable, Sendable {
    let name: String
    let value: String
    let address: String?

    init(_ name: String, _ value: String, address: String? = nil) {
        (self.name, self.value, self.address) = (name, value, address)
    }
}
