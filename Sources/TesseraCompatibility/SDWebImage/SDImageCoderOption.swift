internal import Foundation

/// SDWebImage's options of coders, with numbers as values.
public typealias SDImageCoderOptions = [SDImageCoderOption: Any]

/// The key of an option.
public struct SDImageCoderOption: Hashable, Sendable {
    private let name: String

    /// The decoded image's pixels per point, at least 1.
    public static let decodeScaleFactor = SDImageCoderOption(name: "decodeScaleFactor")
    /// The quality of lossy formats, above 0 to 1, which is the default.
    public static let encodeCompressionQuality = SDImageCoderOption(name: "encodeCompressionQuality")
}

extension SDImageCoderOptions {
    /// The number under `key`, of any of the types that callers write it in.
    func number(_ key: SDImageCoderOption) -> Double? {
        switch self[key] {
        case let value as Double: value
        case let value as CGFloat: Double(value)
        case let value as Float: Double(value)
        case let value as any BinaryInteger: Double(value)
        case let value as NSNumber: value.doubleValue
        default: nil
        }
    }
}
