using System.Globalization;
using System.Net;

namespace Ioxide.BadNetwork;

/// <summary>curl in a process of its own, in the middle of a body that it writes to a file.</summary>
internal sealed class Download : IAsyncDisposable
{
    private const int StartedBytes = 1_000_000;

    private readonly string _file;
    private readonly int _lengthBytes;

    private Download(HostProcess process, string file, int lengthBytes)
    {
        Process = process;
        _file = file;
        _lengthBytes = lengthBytes;
    }

    internal HostProcess Process { get; }

    private long ReceivedBytes => File.Exists(_file) ? new FileInfo(_file).Length : 0;

    /// <summary>Starts one at 20 MB per second, and returns when a part has come.</summary>
    internal static async Task<Download> StartAsync(Stage stage, Subject subject, int lengthBytes)
    {
        Assert.SkipWhen(Tool.Find("curl") is null, "curl is not installed.");
        string file = Path.Combine(Path.GetTempPath(), $"ioxide-{Guid.NewGuid():N}");
        IPEndPoint server = stage.EndPointOf(subject);
        string[] command =
        [
            "curl", "-s", "-k", subject == Subject.Http2 ? "--http2-prior-knowledge" : "--http1.1", "--limit-rate", "20M", "-o", file,
            string.Create(CultureInfo.InvariantCulture, $"{(subject == Subject.Tls ? "https" : "http")}://{server}/down?key=1&length={lengthBytes}"),
        ];
        var download = new Download(HostProcess.StartCommand(command), file, lengthBytes);
        await Waits.Eventually(() => download.ReceivedBytes > StartedBytes, 20.Seconds(), "the first bytes are in the file");
        return download;
    }

    /// <summary>Waits for its end; gives whether the file has the bytes of the key.</summary>
    internal async Task<string> EndAsync()
    {
        int status = await Process.ExitAsync();
        byte[] body = await File.ReadAllBytesAsync(_file);
        return status == 0 && body.Length == _lengthBytes && Payload.FirstDifference(body, 1, 0) < 0
            ? Outcome.Whole
            : string.Create(CultureInfo.InvariantCulture, $"{body.Length} bytes, status {status}");
    }

    public ValueTask DisposeAsync()
    {
        Process.Kill();
        File.Delete(_file);
        return ValueTask.CompletedTask;
    }
}
