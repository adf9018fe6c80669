/// Why a subject can't be measured.
struct MeasureError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
