#if Server
internal import ArgumentParser
internal import Essentials
internal import ImageFormats
internal import ImageServer
internal import Tessera

extension ServeSettings {
    /// The settings that apply without any option.
    static var standard: ServeSettings {
        let standard = ImageServerConfiguration(folders: [])
        var settings = ServeSettings()
        settings.host = standard.host
        settings.port = standard.port
        settings.cacheSize = String(standard.cacheByteLimit)
        settings.memory = String(standard.memoryCacheByteLimit)
        settings.maxAge = standard.maximumAge
        settings.quality = standard.quality
        settings.waiting = standard.waitingRequestCount
        settings.timeout = standard.renderTimeout / .seconds(1)
        settings.drain = standard.drainTime / .seconds(1)
        settings.maxPixels = String(standard.maximumOutputPixelCount)
        settings.maxUpscaling = standard.maximumUpscaling
        settings.onlyPresets = false
        settings.accessLog = .text
        return settings
    }

    /// Reads the file at `path`: a JSON object whose members are named like the options.
    static func read(_ path: String) throws -> ServeSettings {
        let bytes = try InputLocation(path).open().bytes()
        do throws(JSONError) {
            return try JSONValueDecoder.decode(ServeSettings.self, from: JSONParser.parse(bytes), userInfo: [:])
        } catch {
            throw CommandFailure("\(InputLocation(path)): \(error)")
        }
    }

    /// Reads the variables named like the options: `TESSERA_SERVE_CACHE_SIZE` is `--cache-size`. Lists have commas
    /// between their items; presets, which have commas in them, spaces.
    static func read(environment: [String: String]) throws -> ServeSettings {
        var members: [(String, JSONValue)] = []
        for key in CodingKeys.allCases {
            guard let text = environment[key.variable], !text.isEmpty else { continue }
            guard let value = key.value(text) else {
                throw ValidationError("\(key.variable) is \(key.expectation), not \"\(text)\"")
            }
            members.append((key.stringValue, value))
        }
        do throws(JSONError) {
            return try JSONValueDecoder.decode(ServeSettings.self, from: .object(members), userInfo: [:])
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Returns these settings, with those that aren't set taken from `base`.
    func over(_ base: ServeSettings) throws -> ServeSettings {
        let own = try members
        let inherited = try base.members.filter { member in !own.contains { $0.0 == member.0 } }
        return try JSONValueDecoder.decode(ServeSettings.self, from: .object(inherited + own), userInfo: [:])
    }

    /// The settings as a file for `--config`.
    var json: String {
        get throws { try JSONValue.object(members).text() }
    }

    /// The options that are set, by name.
    private var members: [(String, JSONValue)] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            guard case .object(let members) = try JSONParser.parse(Array(encoder.encode(self))) else { return [] }
            return members
        }
    }
}

extension ServeSettings.CodingKeys {
    /// The environment variable of the option. Not `TESSERA_PORT` and the like: Kubernetes sets those itself, to other
    /// values, beside a service that is called tessera.
    var variable: String { "TESSERA_SERVE_" + stringValue.uppercased().replacing("-", with: "_") }

    /// The variable's valid values, for messages.
    fileprivate var expectation: String {
        switch self {
        case .isolate, .onlyPresets: "true or false"
        default: "a number"
        }
    }

    /// The value that the variable's text stands for; nil if the option has none like it.
    fileprivate func value(_ text: String) -> JSONValue? {
        switch self {
        case .folders, .origins, .keyFiles, .allowedHosts, .allowedOrigins, .trustedProxies, .purgeTokenFiles,
            .authorizeFields:
            .array(text.split(separator: ",").map { .string(String($0)) })
        case .port, .maxAge, .quality, .jobs, .waiting, .timeout, .drain, .maxUpscaling, .rateLimit,
            .authorizeTimeout:
            Double(text).map { JSONValue($0) }
        case .presets:
            .array(text.split(separator: " ").map { .string(String($0)) })
        case .isolate, .onlyPresets:
            Bool(text).map { .boolean($0) }
        case .accessLog:
            Bool(text).map { .boolean($0) } ?? .string(text)
        case .host, .cache, .cacheSize, .results, .memory, .publicAddress, .renderMemory, .maxPixels, .basePath,
            .socket,
            .socketMode, .authorize, .tokenService, .loginPage:
            .string(text)
        }
    }
}
#endif
