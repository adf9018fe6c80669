/// The whole numbers in a text of JSON, by the names of the members that they are in.
///
/// What lies in an array goes by the array's name; of several of one name the first counts. Nothing is said of texts that are
/// no JSON, but reading them ends.
struct JSONNumbers {
    private var numbers: [String: Int] = [:]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var names: [String] = []
        var lastString = ""
        var name = ""
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                let start = position
                while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                lastString = String(decoding: bytes[start..<min(position, bytes.count)], as: UTF8.self)
                position += 1
            case UInt8(ascii: ":"):
                name = lastString
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                names.append(name)
                name = ""
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = names.popLast()
                name = ""
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let start = position - 1
                while position < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] { position += 1 }
                let path = (names + [name]).filter { !$0.isEmpty }.joined(separator: ".")
                if numbers[path] == nil {
                    numbers[path] = Int(String(decoding: bytes[start..<position], as: UTF8.self))
                }
            default:
                break
            }
        }
    }

    /// The number called `path`: the names on the way to it with dots between them.
    subscript(_ path: String) -> Int? { numbers[path] }
}
