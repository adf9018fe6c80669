/// What `tessera serve` is told, by a file or by options, which have the same names.
struct ServeSettings: Codable {
    var folders: [String]?
    var host: String?
    var port: Int?
    var origins: [String]?
    var cache: String?
    var cacheSize: String?
    var memory: String?
    var publicAddress: String?
    var maxAge: Int?
    var quality: Double?
    var jobs: Int?
    var waiting: Int?
    var timeout: Double?
    var maxPixels: String?
    var maxUpscaling: Double?
    var keyFiles: [String]?
    var isolate: Bool?
    var accessLog: Bool?

    private enum CodingKeys: String, CodingKey {
        case folders, host, port, cache, memory, quality, jobs, waiting, timeout, isolate
        case origins = "origin"
        case cacheSize = "cache-size"
        case publicAddress = "public-address"
        case maxAge = "max-age"
        case maxPixels = "max-pixels"
        case maxUpscaling = "max-upscaling"
        case keyFiles = "key-file"
        case accessLog = "access-log"
    }

    /// What the file at `path` says: an object of JSON whose members have the options' names.
    static func read(_ path: String) throws -> ServeSettings {
        let bytes = try WholeFile.read(path)
        do throws(CommandFailure) {
            return try JSONValueDecoder.decode(ServeSettings.self, from: JSONParser.parse(bytes), userInfo: [:])
        } catch {
            throw CommandFailure("\(InputLocation(path)): \(error)")
        }
    }
}
