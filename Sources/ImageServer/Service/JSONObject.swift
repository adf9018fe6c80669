internal import ImagePyramid

/// An object of JSON as it is written.
struct JSONObject {
    /// What a member can be.
    indirect enum Value {
        case text(String)
        case number(Int)
        case decimal(Double)
        case flag(Bool)
        case array([Value])
        case object([(String, Value)])
    }

    private var members: [(String, Value)] = []

    /// Members are written in the order in which they were set.
    subscript(name: String) -> Value? {
        get { members.first { $0.0 == name }?.1 }
        set {
            members.removeAll { $0.0 == name }
            if let newValue { members.append((name, newValue)) }
        }
    }

    /// The object as text.
    var text: String {
        var text = ""
        Self.append(.object(members), to: &text)
        return text
    }

    private static func append(_ value: Value, to text: inout String) {
        switch value {
        case .text(let string): text += JSONText.quoted(string)
        case .number(let number): text += "\(number)"
        case .decimal(let number): text += "\(number)"
        case .flag(let flag): text += flag ? "true" : "false"
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                append(value, to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                text += JSONText.quoted(member.0)
                text += ":"
                append(member.1, to: &text)
            }
            text += "}"
        }
    }
}
