namespace Ioxide.Http2.Tests;

/// <summary>HTTP/2 of Node, of python3-h2 and of python3-httpx: dialogues of which each client prints what it saw.</summary>
[Once]
public class ScriptTests
{
    private const string Node = "/usr/bin/node";
    private const string Python = "/usr/bin/python3";
    private const string Packages = "/usr/lib/python3/dist-packages";

    [Theory, MemberData(nameof(Sides.All), MemberType = typeof(Sides))]
    public async Task NodeSeesWhatItExpects(bool isEngine, bool isTls)
    {
        Assert.SkipUnless(File.Exists(Node), "Node is not installed.");
        Assert.Equal(
            """
            hello 200 hello yes c=3; d=4 HTTP/2 a=1,b=2 0
            head 200 0 2000000 0
            large 200 2000000 4a06133ca6ba92cb 0
            echo 200 700000 true 0
            trailers body 4 0
            empty 204 0 0
            missing 404
            wrong method 405
            fail 500
            abort ERR_HTTP2_STREAM_ERROR 2
            reset ERR_HTTP2_STREAM_ERROR 11
            given up
            many true
            ping 12345678
            closed

            """,
            await RunAsync(Node, "node.mjs", isEngine, isTls));
    }

    [Theory, MemberData(nameof(Sides.All), MemberType = typeof(Sides))]
    public async Task TheStateMachineOfPythonFindsNoFault(bool isEngine, bool isTls)
    {
        Assert.SkipUnless(Directory.Exists($"{Packages}/h2"), "python3-h2 is not installed.");
        Assert.Equal(
            """
            hello 200 hello yes c=3; d=4 HTTP/2
            large 2000000
            head 2000000
            echo 350000
            trailers body 4 7
            empty 204
            missing 404
            fail 500
            abort 2
            reset 11
            ping
            settings 200
            closed

            """,
            await RunAsync(Python, "h2_states.py", isEngine, isTls));
    }

    [Theory, MemberData(nameof(Sides.All), MemberType = typeof(Sides))]
    public async Task HttpxSeesWhatItExpects(bool isEngine, bool isTls)
    {
        Assert.SkipUnless(Directory.Exists($"{Packages}/httpx"), "python3-httpx is not installed.");
        Assert.Equal(
            """
            hello HTTP/2 200 hello yes c=3 HTTP/2 ['a=1', 'b=2']
            large 2000000 4a06133ca6ba92cb
            echo True
            pieces 100000
            empty 204
            missing 404
            fail 500
            abort
            many True

            """,
            await RunAsync(Python, "httpx_asks.py", isEngine, isTls));
    }

    private static async Task<string> RunAsync(string program, string script, bool isEngine, bool isTls)
    {
        Http2Setup setup = new Http2Setup { Map = new ClientApplication().Map, ExpectsErrors = true }.On(isEngine, isTls);
        await using Http2Host host = await Http2Host.StartAsync(setup);
        return await Tool.RunAsync([program, Path.Combine(Repository.Root, "tests/Http2/Clients/Scripts", script), host.Address(isTls)]);
    }
}
