/// A value of JSON (RFC 8259) to be printed, members in the order they were given.
enum JSONValue {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// The text, two spaces deeper per level.
    func text(indentation: String = "") -> String {
        let deeper = indentation + "  "
        func enclose(_ open: String, _ items: [String], _ close: String) -> String {
            guard !items.isEmpty else { return open + close }
            let lines = items.map { deeper + $0 }.joined(separator: ",\n")
            return "\(open)\n\(lines)\n\(indentation)\(close)"
        }
        return switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.quoted(value)
        case .array(let values): enclose("[", values.map { $0.text(indentation: deeper) }, "]")
        case .object(let members):
            enclose("{", members.map { "\(Self.quoted($0)): \($1.text(indentation: deeper))" }, "}")
        }
    }

    private static func quoted(_ string: String) -> String {
        var result = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
