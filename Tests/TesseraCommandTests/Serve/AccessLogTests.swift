#if Server
import Foundation
import ImageFormats
import TestSupport
import Testing

/// The access log of a running `tessera serve`.
@Suite("tessera serve --access-log")
struct AccessLogTests {
    /// Serves a folder, sends requests by curl, and returns the lines on standard output after the address, and standard
    /// error.
    private func log(_ options: String) throws -> (lines: [String], errors: String) {
        let folder = try TemporaryFolder()
        try folder.write(Pictures.flat().file(.png), to: "pictures/a.png")
        let outcome = try Command.run(
            [
                "-c",
                """
                "$0" serve pictures --port 0 --trusted-proxy 127.0.0.1 \(options.prefix { $0 != "#" }) >output 2>errors & pid=$!
                trap 'kill $pid' EXIT
                until link=$(grep -m 1 ^http output); do sleep 0.05; done
                curl -s -o answer -A 'Test "1"' -e https://a.example/ -H 'X-Forwarded-For: 192.0.2.7' \
                    -H 'X-Request-Id: ab-12' -D fields "${link}image/a.png?w=4"
                curl -s -o answer "${link}image/b%22.png"
                until grep -q b%22.png output errors || [[ "\(options)" == *off* ]]; do sleep 0.05; done
                grep -i x-request-id fields
                """, Command.program,
            ], in: folder, program: "/bin/bash")
        #expect(outcome.status == 0 && outcome.text.lowercased() == "x-request-id: ab-12\r\n", "\(outcome.errors)")
        let lines = try String(decoding: folder.read("output"), as: UTF8.self).split(separator: "\n").map(String.init)
        return (
            Array(lines.drop { !$0.hasPrefix("http://") }.dropFirst()),
            String(decoding: try folder.read("errors"), as: UTF8.self)
        )
    }

    @Test("Combined Log Format", .needs(CommandLineTool("curl")))
    func combined() throws {
        let lines = try log("--access-log combined").lines
        #expect(lines.count == 2, "\(lines)")
        let date = #"\[\d\d/[A-Z][a-z][a-z]/\d{4}:\d\d:\d\d:\d\d \+0000\]"#
        let first =
            #"^192\.0\.2\.7 - - "# + date
            + #" "GET /image/a\.png\?w=4 HTTP/1\.1" 200 \d+ "https://a\.example/" "Test \\"1\\""$"#
        #expect(lines[0].range(of: first, options: .regularExpression) != nil, "\(lines[0])")
        let second =
            #"^127\.0\.0\.1 - - "# + date + #" "GET /image/b%22\.png HTTP/1\.1" 404 \d+ "-" "curl/[^"]*"$"#
        #expect(lines[1].range(of: second, options: .regularExpression) != nil, "\(lines[1])")
    }

    @Test("JSON lines", .needs(CommandLineTool("curl")))
    func json() throws {
        let objects = try log("--access-log json").lines.map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.count == 2)
        #expect(objects[0]["client"] as? String == "192.0.2.7" && objects[0]["id"] as? String == "ab-12")
        #expect(objects[0]["target"] as? String == "/image/a.png?w=4" && objects[0]["method"] as? String == "GET")
        #expect(objects[0]["status"] as? Int == 200 && objects[0]["userAgent"] as? String == "Test \"1\"")
        #expect(try #require(objects[0]["bytes"] as? Int) > 0 && objects[0]["reason"] == nil)
        #expect(objects[1]["status"] as? Int == 404 && objects[1]["reason"] as? String == "there is no such image")
        #expect(try #require(objects[1]["id"] as? String) != "ab-12")
    }

    @Test("Text goes to standard error, and off goes nowhere", .needs(CommandLineTool("curl")))
    func others() throws {
        let text = try log("--access-log text")
        #expect(text.lines == [] && text.errors.contains("GET /image/a.png?w=4 200"))
        #expect(text.errors.contains("192.0.2.7") && text.errors.contains("ab-12"))
        for option in ["--access-log off", "--no-access-log"] {
            let off = try log(option + (option.contains("off") ? "" : " # off"))
            #expect(off.lines == [] && !off.errors.contains("/image/"), "\(off.errors)")
        }
    }
}
#endif
