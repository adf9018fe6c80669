/// A JSON value (RFC 8259) for output; members keep their order.
package enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// Creates a number; a whole one is written without a fraction.
    package init(_ number: Double) { self = Int(exactly: number).map { .integer($0) } ?? .number(number) }

    /// The JSON text on one line, without spaces.
    package var compactText: String { text(indentation: nil) }

    /// Returns the JSON text indented by two spaces per level; on one line if `indentation` is nil.
    package func text(indentation: String? = "") -> String {
        let deeper = indentation.map { $0 + "  " }
        func enclose(_ open: String, _ items: [String], _ close: String) -> String {
            guard let indentation, let deeper, !items.isEmpty else {
                return open + items.joined(separator: ",") + close
            }
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
            enclose(
                "{",
                members.map { "\(Self.quoted($0)):\(deeper == nil ? "" : " ")\($1.text(indentation: deeper))" }, "}")
        }
    }

    /// Returns `text` as a JSON string, in quotation marks and escaped.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
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
