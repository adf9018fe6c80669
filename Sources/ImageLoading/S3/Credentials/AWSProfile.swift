#if HTTP
internal import Essentials
internal import ImageFormats
internal import Platform

/// The settings of a profile in AWS's shared files, `~/.aws/credentials` and `~/.aws/config`.
package struct AWSProfile: Equatable {
    /// The settings by name; nested ones as `s3.addressing_style`.
    package private(set) var settings: [String: String] = [:]

    package subscript(name: String) -> String? { settings[name] }

    /// The access key; nil if the profile has none.
    package var credentials: S3Credentials? {
        guard let id = self["aws_access_key_id"], let secret = self["aws_secret_access_key"] else { return nil }
        return S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: self["aws_session_token"])
    }

    /// The largest file that is read, in bytes.
    private static let largestFile = 1 << 20

    /// Reads the profile `AWS_PROFILE`, or `default`, from the files named by the environment; files that can't be read
    /// count as empty. The file of credentials takes precedence.
    package init(environment: [String: String]) {
        let name = environment["AWS_PROFILE"] ?? environment["AWS_DEFAULT_PROFILE"] ?? "default"
        let folder = (environment["HOME"] ?? "") + "/.aws/"
        let config = environment["AWS_CONFIG_FILE"] ?? folder + "config"
        let credentials = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? folder + "credentials"
        add(
            Self.text(of: config, environment),
            sections: name == "default" ? ["default", "profile default"] : ["profile \(name)"])
        add(Self.text(of: credentials, environment), sections: [name])
    }

    /// An empty profile, to which text is added.
    package init() {}

    private static func text(of path: String, _ environment: [String: String]) -> String {
        let path = path.hasPrefix("~/") ? (environment["HOME"] ?? "") + path.dropFirst(1) : path
        guard let bytes = try? Source(regularFile: path).bytes(limit: largestFile) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Adds the settings of the sections with these names; later ones replace earlier ones.
    package mutating func add(_ text: String, sections: [String]) {
        var isWanted = false
        var group = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let first = words.first, !first.hasPrefix("#"), !first.hasPrefix(";") else { continue }
            if first.hasPrefix("[") {
                let name = words.joined(separator: " ").drop { $0 == "[" }.prefix { $0 != "]" }
                isWanted = sections.contains(name.split(separator: " ").joined(separator: " "))
                group = ""
                continue
            }
            guard isWanted, let equals = line.firstIndex(of: "=") else { continue }
            let name = line[..<equals].trimmedHTTPWhitespace.lowercased()
            let value = line[line.index(after: equals)...].trimmedHTTPWhitespace
            let isNested = line.first == " " || line.first == "\t"
            if !isNested { group = value.isEmpty ? name : "" }
            guard !value.isEmpty else { continue }
            settings[isNested && !group.isEmpty ? "\(group).\(name)" : name] = value
        }
    }
}
#endif
