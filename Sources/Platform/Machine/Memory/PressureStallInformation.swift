/// The share of time that programs recently waited for memory: Linux's pressure stall information.
///
/// Format: Linux, Documentation/accounting/psi.rst.
package struct PressureStallInformation: Equatable, Sendable {
    /// Per cent of the last ten seconds in which some program waited.
    package var some: Double
    /// Per cent of the last ten seconds in which all programs that weren't idle waited; nil where the system doesn't report it.
    package var full: Double?

    package init(some: Double, full: Double?) {
        self.some = some
        self.full = full
    }

    /// Reads a file of the form `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`, a second line beginning with `full`;
    /// nil for anything else.
    package init?(_ text: String) {
        var averages: [Substring: Double] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let average = words.first(where: { $0.hasPrefix("avg10=") }),
                let value = Double(average.dropFirst(6)), (0...100).contains(value)
            else { continue }
            averages[words[0]] = value
        }
        guard let some = averages["some"] else { return nil }
        self.init(some: some, full: averages["full"])
    }
}
