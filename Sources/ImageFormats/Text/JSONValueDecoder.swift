/// Decodes values from JSON and rejects members that weren't decoded, so that a misspelt name is an error.
package final class JSONValueDecoder: Decoder {
    package let codingPath: [any CodingKey]
    package let userInfo: [CodingUserInfoKey: Any]
    private let value: JSONValue
    /// The names that were decoded.
    private var known: [String] = []

    private init(_ value: JSONValue, _ path: [any CodingKey], _ userInfo: [CodingUserInfoKey: Any]) {
        self.value = value
        codingPath = path
        self.userInfo = userInfo
    }

    /// Decodes a value from `json`.
    /// - Throws: `JSONError` with the reason and the path of the value.
    package static func decode<T: Decodable>(
        _ type: T.Type, from json: JSONValue, userInfo: [CodingUserInfoKey: Any]
    ) throws(JSONError) -> T {
        do {
            return try JSONValueDecoder(json, [], userInfo).make(type)
        } catch let error as DecodingError {
            throw JSONError(error.text)
        } catch {
            throw JSONError("\(error)")
        }
    }

    fileprivate func make<T: Decodable>(_ type: T.Type) throws -> T {
        if case .string(let word) = value, let choice = type as? any CaseIterable.Type,
            case let words = Self.words(choice), !words.isEmpty, !words.contains(word)
        {
            throw failure("there is no \"\(word)\"; there is \(words.joined(separator: ", "))")
        }
        let result = try T(from: self)
        if case .object(let members) = value, let stray = members.first(where: { !known.contains($0.0) }) {
            throw failure("there is no \"\(stray.0)\"; there is \(known.joined(separator: ", "))")
        }
        return result
    }

    /// The names of a type's cases.
    private static func words<T: CaseIterable>(_ type: T.Type) -> [String] {
        T.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    }

    fileprivate func failure(_ message: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: message))
    }

    private func child(_ value: JSONValue, _ key: any CodingKey) -> JSONValueDecoder {
        JSONValueDecoder(value, codingPath + [key], userInfo)
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw failure("an object should be here") }
        return KeyedDecodingContainer(Members(decoder: self, members: members))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = value else { throw failure("an array should be here") }
        return Elements(decoder: self, values: values)
    }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private struct Index: CodingKey {
        let intValue: Int?
        var stringValue: String { "\(intValue ?? 0)" }
        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }
}

extension JSONValueDecoder {
    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: JSONValueDecoder
        let members: [(String, JSONValue)]

        var codingPath: [any CodingKey] { decoder.codingPath }
        var allKeys: [Key] { members.compactMap { Key(stringValue: $0.0) } }

        func contains(_ key: Key) -> Bool { member(key) != nil }

        private func member(_ key: Key) -> JSONValue? {
            if !decoder.known.contains(key.stringValue) { decoder.known.append(key.stringValue) }
            return members.first { $0.0 == key.stringValue }?.1
        }

        private func child(_ key: Key) throws -> JSONValueDecoder {
            guard let value = member(key) else { throw decoder.failure("\"\(key.stringValue)\" is missing") }
            return decoder.child(value, key)
        }

        func decodeNil(forKey key: Key) throws -> Bool {
            if case .null = try child(key).value { true } else { false }
        }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try child(key).make(type) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { try child(key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try child(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { decoder }
        func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }
    }

    private struct Elements: UnkeyedDecodingContainer {
        let decoder: JSONValueDecoder
        let values: [JSONValue]
        var currentIndex = 0

        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { values.count }
        var isAtEnd: Bool { currentIndex == values.count }

        private mutating func next() throws -> JSONValueDecoder {
            guard !isAtEnd else { throw decoder.failure("there should be more than \(values.count) values") }
            defer { currentIndex += 1 }
            return decoder.child(values[currentIndex], Index(intValue: currentIndex))
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, case .null = values[currentIndex] else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().make(type) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try next().unkeyedContainer()
        }

        mutating func superDecoder() throws -> any Decoder { try next() }
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    package func decodeNil() -> Bool { if case .null = value { true } else { false } }

    package func decode<T: Decodable>(_ type: T.Type) throws -> T {
        switch (type, value) {
        case (is Bool.Type, .boolean(let value)): return value as! T
        case (is String.Type, .string(let value)): return value as! T
        case (is Int.Type, .integer(let value)): return value as! T
        case (is Double.Type, .integer(let value)): return Double(value) as! T
        case (is Double.Type, .number(let value)): return value as! T
        case (is Bool.Type, _): throw failure("true or false should be here")
        case (is String.Type, _): throw failure("a text should be here")
        case (is Int.Type, _): throw failure("a whole number should be here")
        case (is Double.Type, _): throw failure("a number should be here")
        default: return try T(from: self)
        }
    }
}

extension DecodingError {
    /// The error for display: `[2].shadow.blur: a number should be here`.
    fileprivate var text: String {
        let context: Context
        switch self {
        case .dataCorrupted(let stated), .keyNotFound(_, let stated), .typeMismatch(_, let stated),
            .valueNotFound(_, let stated):
            context = stated
        @unknown default: return "\(self)"
        }
        var path = ""
        for key in context.codingPath {
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
        return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
    }
}
