internal import Tessera

extension ImageError {
    /// The error as a line about `input`; of a file that can't be read or written, the message names the file itself.
    func message(about input: InputLocation) -> String {
        code == .inputOutput ? "\(self)" : "\(input): \(self)"
    }
}
