internal import Tessera

extension ImageError {
    /// The error as a line about `input`; an `inputOutput` error already names its file.
    func message(about input: InputLocation) -> String {
        code == .inputOutput ? "\(self)" : "\(input): \(self)"
    }
}
