import Platform
import Testing

@Suite("Control groups")
struct ControlGroupsTests {
    @Test(
        "The process' control groups are parsed",
        arguments: [
            ("0::/user.slice/app.service\n", ControlGroups(unified: "/user.slice/app.service")),
            ("0::/\n", ControlGroups(unified: "/")),
            ("4:cpu,memory:/docker/1:2\n0::/a\n", ControlGroups(unified: "/a", memory: "/docker/1:2")),
            ("4:memory:/m\n1:name=systemd:/s\n", ControlGroups(memory: "/m")),
            ("", ControlGroups()), ("0::", ControlGroups()), ("0:/a", ControlGroups()), ("::", ControlGroups()),
            ("0:cpu:/a", ControlGroups()), ("x::/a", ControlGroups()), ("0::relative", ControlGroups()),
            ("5:memory2:/m", ControlGroups()),
        ] as [(String, ControlGroups)])
    func groups(_ text: String, _ groups: ControlGroups) { #expect(ControlGroups(text) == groups) }

    @Test(
        "The folders of the control groups are found",
        arguments: [
            ("/a/b", ["/m/a/b", "/m/a", "/m"]), ("/", ["/m"]), ("", ["/m"]), ("/../../etc", ["/m"]),
            ("//a//", ["/m/a", "/m"]),
        ] as [(String, [String])])
    func folders(_ path: String, _ folders: [String]) {
        #expect(ControlGroups.folders(of: path, in: "/m") == folders)
    }
}
