#if Server
internal import ArgumentParser
internal import ImageFormats
internal import ImageIsolation
internal import ImageServer
internal import Tessera

/// The settings of `tessera serve`, from a file, the environment or options of the same names.
struct ServeSettings: Codable {
    var folders: [String]?
    var host: String?
    var port: Int?
    var origins: [String]?
    var cache: String?
    var cacheSize: String?
    var results: String?
    var memory: String?
    var publicAddress: String?
    var maxAge: Int?
    var quality: Double?
    var jobs: Int?
    var waiting: Int?
    var renderMemory: String?
    var timeout: Double?
    var drain: Double?
    var maxPixels: String?
    var maxUpscaling: Double?
    var keyFiles: [String]?
    var allowedHosts: [String]?
    var allowedOrigins: [String]?
    var presets: [String]?
    var onlyPresets: Bool?
    var isolate: Bool?
    var accessLog: AccessLogSetting?
    var rateLimit: Double?
    var trustedProxies: [String]?
    var basePath: String?
    var socket: String?
    var socketMode: String?
    var purgeTokenFiles: [String]?
    var authorize: String?
    var authorizeFields: [String]?
    var authorizeTimeout: Double?
    var tokenService: String?
    var loginPage: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case folders, host, port, cache, results, memory, quality, jobs, waiting, timeout, drain, isolate, socket,
            authorize
        case origins = "origin"
        case cacheSize = "cache-size"
        case publicAddress = "public-address"
        case renderMemory = "render-memory"
        case maxAge = "max-age"
        case maxPixels = "max-pixels"
        case maxUpscaling = "max-upscaling"
        case keyFiles = "key-file"
        case allowedHosts = "allow-host"
        case allowedOrigins = "allow-origin"
        case accessLog = "access-log"
        case rateLimit = "rate-limit"
        case trustedProxies = "trusted-proxy"
        case presets = "preset"
        case onlyPresets = "only-presets"
        case basePath = "base-path"
        case socketMode = "socket-mode"
        case purgeTokenFiles = "purge-token-file"
        case authorizeFields = "authorize-field"
        case authorizeTimeout = "authorize-timeout"
        case tokenService = "token-service"
        case loginPage = "login-page"
    }

}

/// The form of the access log.
enum AccessLogSetting: String, Codable, CaseIterable, ExpressibleByArgument {
    /// Lines among the messages on standard error.
    case text
    /// Lines on standard output.
    case combined, json
    case off

    /// Reads a word, or true for `text` and false for `off`.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let isOn = try? container.decode(Bool.self) {
            self = isOn ? .text : .off
            return
        }
        let word = try container.decode(String.self)
        guard let setting = AccessLogSetting(rawValue: word) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "there is no \"\(word)\"; there is text, combined, json, off")
        }
        self = setting
    }

    /// The form on standard output; nil for the others.
    var format: AccessLogFormat? { AccessLogFormat(rawValue: rawValue) }
}

extension ServeSettings {
    /// Makes the server's configuration.
    /// - Throws: `ValidationError` for an invalid setting, `CommandFailure` for a folder or a key that can't be used.
    func configuration() throws -> ImageServerConfiguration {
        var result = ImageServerConfiguration(folders: folders ?? [])
        for folder in result.folders where !BucketFiles.isAddress(folder) && !FileSystem.isFolder(folder) {
            throw CommandFailure("\(folder) isn't a folder; name the folder that the images are in")
        }
        result.origins = origins ?? []
        result.port = try number(port, "port", in: 0...65535) ?? result.port
        result.host = host ?? result.host
        result.cacheDirectory = cache
        result.results = results
        result.cacheByteLimit = try count(cacheSize, "cache-size") ?? result.cacheByteLimit
        result.memoryCacheByteLimit = try count(memory, "memory") ?? result.memoryCacheByteLimit
        result.publicAddress = try publicAddress.map(Self.address)
        result.maximumAge = try number(maxAge, "max-age", in: 0...31_536_000) ?? result.maximumAge
        result.quality = try number(quality, "quality", in: 0...1) ?? result.quality
        result.renderCount = try number(jobs, "jobs", in: 1...1024)
        result.waitingRequestCount =
            try number(waiting, "waiting", in: 0...100_000) ?? result.waitingRequestCount
        result.renderMemoryByteLimit = try count(renderMemory, "render-memory")
        if let seconds = try number(timeout, "timeout", in: 0.1...3600) {
            result.renderTimeout = .seconds(seconds)
        }
        if let seconds = try number(drain, "drain", in: 0...3600) { result.drainTime = .seconds(seconds) }
        result.maximumOutputPixelCount = try count(maxPixels, "max-pixels") ?? result.maximumOutputPixelCount
        result.maximumUpscaling =
            try number(maxUpscaling, "max-upscaling", in: 1...100) ?? result.maximumUpscaling
        result.logsAccess = accessLog != .off
        result.accessLogFormat = accessLog?.format
        result.requestRate = try number(rateLimit, "rate-limit", in: 0.01...1_000_000)
        result.trustedProxies = trustedProxies ?? []
        result.basePath = try BasePath(basePath ?? "").text
        result.socketPath = socket
        if let socketMode {
            guard let mode = UInt32(socketMode, radix: 8), (0...0o777).contains(mode) else {
                throw ValidationError("socket-mode is an octal number, as in 660, not \"\(socketMode)\"")
            }
            result.socketPermissions = mode
        }
        result.purgeTokens = try (purgeTokenFiles ?? []).flatMap(SigningKeyFile.read)
        result.authorization = try authorization()
        result.signingKeys = try (keyFiles ?? []).flatMap(SigningKeyFile.read)
        for preset in presets ?? [] {
            let parts = preset.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else {
                throw ValidationError("preset is a name and a query, as in thumbnail=w=200&h=200, not \"\(preset)\"")
            }
            result.presets[String(parts[0])] = String(parts[1])
        }
        result.requiresPresets = onlyPresets ?? false
        result.allowedHosts = allowedHosts ?? []
        result.allowedOrigins = allowedOrigins ?? []
        result.codecs = try codecs()
        return result
    }

    /// The codecs: isolated ones if that is set, and otherwise for JPEG 2000, whose library has had many vulnerabilities.
    private func codecs() throws -> CodecRegistry {
        // Not the default registry, whose decoders of JPEG 2000 are isolated too.
        if let isolate { return isolate ? try IsolatedDecoding().registry : .builtIn }
        if let registry = IsolatedDecoding.registryForPrograms { return registry }
        var codecs = CodecRegistry.builtIn
        for format in IsolatedDecoding.formatsAtRisk { codecs.unregister(format) }
        return codecs
    }

    private func authorization() throws -> AuthorizationService? {
        guard let authorize else {
            let others: [(String, Bool)] = [
                ("authorize-field", authorizeFields != nil), ("authorize-timeout", authorizeTimeout != nil),
                ("token-service", tokenService != nil), ("login-page", loginPage != nil),
            ]
            if let other = others.first(where: \.1)?.0 {
                throw ValidationError("\(other) needs authorize, the address of the service that decides")
            }
            return nil
        }
        var service = AuthorizationService(url: authorize)
        service.forwardedFields = authorizeFields ?? service.forwardedFields
        if let seconds = try number(authorizeTimeout, "authorize-timeout", in: 0.1...60) {
            service.timeout = .seconds(seconds)
        }
        service.tokenService = tokenService
        service.accessService = loginPage
        guard loginPage == nil || tokenService != nil else {
            throw ValidationError("login-page needs token-service, the address of the IIIF access token service")
        }
        try service.validate()
        return service
    }

    private static func address(_ text: String) throws -> String {
        guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
            throw ValidationError("public-address is a scheme and a host, as in https://pictures.example.org")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    private func count(_ text: String?, _ name: String) throws -> Int? {
        guard let text else { return nil }
        guard let value = BinaryCount.parse(text), value > 0 else {
            throw ValidationError("\(name) is a number above 0, as in 500M, not \"\(text)\"")
        }
        return value
    }

    private func number<Number: Comparable>(
        _ value: Number?, _ name: String, in range: ClosedRange<Number>
    ) throws -> Number? {
        guard let value else { return nil }
        guard range.contains(value) else {
            throw ValidationError("\(name) is \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
        return value
    }
}
#endif
