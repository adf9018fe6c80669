import Foundation

extension [String] {
    /// The bytes of the file that argument `index` names.
    func file(_ index: Int) throws -> [UInt8] {
        guard index < count else { throw MeasureError("argument \(index + 1), a file, is missing") }
        return try [UInt8](Data(contentsOf: URL(filePath: self[index])))
    }

    /// Argument `index` as a number.
    func number(_ index: Int) throws -> Double {
        guard index < count, let number = Double(self[index]) else {
            throw MeasureError("argument \(index + 1), a number, is missing")
        }
        return number
    }
}
