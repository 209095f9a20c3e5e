using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tls.Tests;

/// <summary>
/// A process with a policy of its own (OPENSSL_CONF) that serves by a ring and by SslStream. It is this program with
/// <see cref="PolicyTests.ItServesByARingAndBySslStream"/>, and lives as long as its control connection.
/// </summary>
internal sealed class PolicyServer : IAsyncDisposable
{
    internal const string ControlPort = "IOXIDE_TLS_POLICY_PORT";
    internal const string KeyKind = "IOXIDE_TLS_POLICY_RSA";

    private readonly Process _process;
    private readonly Socket _control;
    private readonly Task<string> _output;

    private PolicyServer(Process process, Socket control, Task<string> output, string[] answer)
    {
        _process = process;
        _control = control;
        _output = output;
        Problem = answer[0].Length > 1 && !char.IsAsciiDigit(answer[0][0]) ? answer[0] : null;
        Ring = Problem is null ? Parse(answer[0]) : null;
        SslStream = Parse(answer[1]);
    }

    /// <summary>Why the ring does not serve; null where it does.</summary>
    internal string? Problem { get; }

    internal IPEndPoint? Ring { get; }

    internal IPEndPoint SslStream { get; }

    internal static async Task<PolicyServer> StartAsync(string configurationFile, bool isRsa)
    {
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        ProcessStartInfo start = new(
            Environment.ProcessPath!,
            ["-noLogo", "-noColor", "-method", $"{typeof(PolicyTests)}.{nameof(PolicyTests.ItServesByARingAndBySslStream)}"])
        {
            RedirectStandardOutput = true,
        };
        start.Environment["OPENSSL_CONF"] = configurationFile;
        start.Environment[ControlPort] = ((IPEndPoint)listener.LocalEndPoint!).Port.ToString(CultureInfo.InvariantCulture);
        start.Environment[KeyKind] = isRsa ? "1" : "0";
        Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<Socket> accepting = listener.AcceptAsync();
        if (await Task.WhenAny(accepting, output).Within(Patience.Limit, "the child serves") == output)
        {
            Assert.Fail(await output);
        }

        Socket control = await accepting;
        using StreamReader reader = new(new NetworkStream(control, ownsSocket: false));
        string ring = await reader.ReadLineAsync().Within(Patience.Limit) ?? "";
        string sslStream = await reader.ReadLineAsync().Within(Patience.Limit) ?? "";
        return new PolicyServer(process, control, output, [ring, sslStream]);
    }

    public async ValueTask DisposeAsync()
    {
        _control.Dispose();
        await _process.WaitForExitAsync().Within(Patience.Limit, "the child ends");
        string output = await _output;
        Assert.True(_process.ExitCode == 0, output);
        _process.Dispose();
    }

    private static IPEndPoint Parse(string port) => new(IPAddress.Loopback, int.Parse(port, CultureInfo.InvariantCulture));
}
