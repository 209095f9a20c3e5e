using System.Diagnostics;
using System.Net;

namespace Ioxide.Tls.Tests;

/// <summary>The command <c>openssl s_client</c>.</summary>
internal static class OpenSsl
{
    /// <summary>Sends a line, waits for its echo, and closes. Returns all that it printed. Skips the test where there is no such command.</summary>
    internal static async Task<string> ClientAsync(IPEndPoint endPoint, params string[] arguments)
    {
        const string Line = "a line that comes back";
        using Process process = Start(["s_client", "-connect", endPoint.ToString(), "-nocommands", .. arguments]);
        Task<string> errors = process.StandardError.ReadToEndAsync();
        await process.StandardInput.WriteLineAsync(Line);
        await process.StandardInput.FlushAsync();
        List<string> printed = [];
        while (await process.StandardOutput.ReadLineAsync().Within(60.Seconds(), "openssl prints the echo") is { } line)
        {
            printed.Add(line);
            if (line == Line)
            {
                process.StandardInput.Close();
            }
        }

        await process.WaitForExitAsync().Within(60.Seconds(), "openssl ends");
        string output = $"{string.Join('\n', printed)}\n{await errors}";
        Assert.True(printed.Contains(Line), output);
        return output;
    }

    /// <summary>Sends a request to a server that then closes. Returns what came back, byte for byte.</summary>
    internal static async Task<byte[]> TransferAsync(IPEndPoint endPoint, byte[] request, params string[] arguments)
    {
        using Process process = Start(["s_client", "-connect", endPoint.ToString(), "-quiet", "-nocommands", .. arguments]);
        Task<string> errors = process.StandardError.ReadToEndAsync();
        using MemoryStream received = new();
        Task reading = process.StandardOutput.BaseStream.CopyToAsync(received);
        await process.StandardInput.BaseStream.WriteAsync(request).Within(Patience.Limit, "openssl takes the request");
        await process.StandardInput.BaseStream.FlushAsync().Within(Patience.Limit);
        await reading.Within(Patience.Limit, "the server closes");
        await process.WaitForExitAsync().Within(Patience.Limit, "openssl ends");
        Assert.True(received.Length > 0, await errors);
        return received.ToArray();
    }

    /// <summary>Runs the command to its end, or skips the test where there is none. Returns what it wrote on both streams.</summary>
    internal static async Task<string> RunAsync(string input, params string[] arguments)
    {
        Require();
        (_, string output, string error) = await Tool.TryRunAsync(["openssl", .. arguments], input, Patience.Limit);
        return $"{output}\n{error}";
    }

    /// <summary>Starts it with redirected streams.</summary>
    internal static Process Start(params string[] arguments)
    {
        Require();
        return Tool.Start(["openssl", .. arguments]);
    }

    private static void Require() => Assert.SkipWhen(Tool.Find("openssl") is null, "There is no command openssl.");
}
