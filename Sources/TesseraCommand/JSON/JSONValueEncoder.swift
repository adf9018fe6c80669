internal import Tessera

/// Makes JSON of values.
final class JSONValueEncoder: Encoder {
    private enum Content {
        case value(JSONValue)
        case members([(String, JSONValueEncoder)])
        case elements([JSONValueEncoder])
    }

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private var content = Content.value(.null)

    private init() {}

    /// `value` as JSON.
    static func encode(_ value: some Encodable) throws -> JSONValue {
        let encoder = JSONValueEncoder()
        try value.encode(to: encoder)
        return encoder.json
    }

    private var json: JSONValue {
        switch content {
        case .value(let value): value
        case .members(let members): .object(members.map { ($0, $1.json) })
        case .elements(let elements): .array(elements.map(\.json))
        }
    }

    private func addMember(_ name: String) -> JSONValueEncoder {
        let encoder = JSONValueEncoder()
        if case .members(let members) = content { content = .members(members + [(name, encoder)]) }
        return encoder
    }

    private func addElement() -> JSONValueEncoder {
        let encoder = JSONValueEncoder()
        if case .elements(let elements) = content { content = .elements(elements + [encoder]) }
        return encoder
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        content = .members([])
        return KeyedEncodingContainer(Members(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        content = .elements([])
        return Elements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }
}

extension JSONValueEncoder {
    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: JSONValueEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) {}
        func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
            try value.encode(to: encoder.addMember(key.stringValue))
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { encoder.addMember(key.stringValue).container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.addMember(key.stringValue).unkeyedContainer()
        }
        func superEncoder() -> any Encoder { encoder }
        func superEncoder(forKey key: Key) -> any Encoder { encoder.addMember(key.stringValue) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let encoder: JSONValueEncoder
        var codingPath: [any CodingKey] { [] }
        var count: Int { if case .elements(let elements) = encoder.content { elements.count } else { 0 } }

        func encodeNil() { _ = encoder.addElement() }
        func encode<T: Encodable>(_ value: T) throws { try value.encode(to: encoder.addElement()) }
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            encoder.addElement().container(keyedBy: type)
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.addElement().unkeyedContainer() }
        func superEncoder() -> any Encoder { encoder.addElement() }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: JSONValueEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil() {}
        func encode<T: Encodable>(_ value: T) throws {
            switch value {
            case let value as Bool: encoder.content = .value(.boolean(value))
            case let value as String: encoder.content = .value(.string(value))
            case let value as Int: encoder.content = .value(.integer(value))
            case let value as Double:
                // Lengths are mostly whole, and people write them so.
                encoder.content = .value(Int(exactly: value).map { .integer($0) } ?? .number(value))
            default: try value.encode(to: encoder)
            }
        }
    }
}
