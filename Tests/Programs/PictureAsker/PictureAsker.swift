import ImageServer
import Raster

/// Asks the service that answers the server's requests for pictures, without a server: `PictureAsker FOLDER CACHE
/// TARGET…`. A line for each: the status, how many bytes the body has, and what was asked for.
@main
enum PictureAsker {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 3 else { return print("PictureAsker FOLDER CACHE TARGET…") }
        var configuration = ImageServerConfiguration(folders: [arguments[1]])
        configuration.cacheDirectory = arguments[2]
        configuration.logsAccess = false
        do {
            let service = try ImageService(configuration)
            for target in arguments.dropFirst(3) {
                let response = await service.respond(to: ServiceRequest(.get, target))
                print(response.status, response.byteCount, target)
            }
        } catch {
            print("0 0 \(error)")
        }
    }
}
