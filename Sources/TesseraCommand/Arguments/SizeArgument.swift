internal import ArgumentParser
internal import Tessera

/// A size on the command line, in which an image must fit: `800x600`, `800x`, `x600`, `800` for both sides, or `50%`.
enum SizeArgument: Hashable, Sendable {
    /// The largest sides in pixels; nil for a side that may be of any length.
    case box(width: Int?, height: Int?)
    /// A share of the image's own size, above 0.
    case share(Double)

    /// Parses an argument.
    static func parse(_ argument: String) throws -> SizeArgument {
        if argument.hasSuffix("%") {
            guard let percent = Double(argument.dropLast()), percent > 0, percent <= 10_000 else {
                throw ValidationError("a share of the size is above 0%, as in 50%")
            }
            return .share(percent / 100)
        }
        let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        let numbers = sides.map { Int($0) }
        guard sides.count <= 2, zip(sides, numbers).allSatisfy({ $0.isEmpty && sides.count == 2 || $1 != nil }),
            numbers.contains(where: { $0 != nil })
        else {
            throw ValidationError(
                "write a width and a height in pixels, as in 400x300, 400x or x300, 400 for both, or 50%")
        }
        guard numbers.allSatisfy({ $0 ?? 1 >= 1 }) else { throw ValidationError("both sides must be at least 1") }
        return .box(width: numbers[0], height: numbers[numbers.count - 1])
    }

    /// Returns the box in which an image of `size` must fit.
    func bounds(for size: PixelSize) -> PixelSize {
        switch self {
        case .box(let width, let height):
            // Longer than any image's side, and exact as a floating-point number.
            PixelSize(width: width ?? 1 << 40, height: height ?? 1 << 40)
        case .share(let share):
            PixelSize(
                width: max(1, Int((Double(size.width) * share).rounded())),
                height: max(1, Int((Double(size.height) * share).rounded())))
        }
    }

    /// How options name their value.
    static let valueName = "size"
}
