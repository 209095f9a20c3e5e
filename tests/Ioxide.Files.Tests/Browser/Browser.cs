using System.Diagnostics;
using System.Net.Http.Json;
using System.Text.Json.Nodes;

namespace Ioxide.Files.Tests;

/// <summary>Chromium without a window, with a profile of its own; skipped where it is not installed.</summary>
internal sealed class Browser : IAsyncDisposable
{
    private const string Announcement = "DevTools listening on ";
    private static readonly string[] s_programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

    private readonly Process _process;
    private readonly TestFolder _profile;
    private readonly Uri _address;

    private Browser(Process process, TestFolder profile, Uri address)
    {
        _process = process;
        _profile = profile;
        _address = address;
    }

    internal static async Task<Browser> StartAsync()
    {
        string? program = s_programs.FirstOrDefault(File.Exists);
        Assert.SkipWhen(program is null, "Chromium is not installed.");
        var profile = new TestFolder();
        var start = new ProcessStartInfo(program)
        {
            RedirectStandardError = true,
            RedirectStandardOutput = true,
            ArgumentList =
            {
                "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--no-proxy-server", "--remote-debugging-port=0",
                $"--user-data-dir={profile.Path}", "about:blank",
            },
        };
        if (Environment.IsPrivilegedProcess)
        {
            // Its sandbox is not for root.
            start.ArgumentList.Add("--no-sandbox");
        }

        Process process = Process.Start(start)!;
        try
        {
            string? line;
            do
            {
                line = await process.StandardError.ReadLineAsync().Within(120.Seconds(), "Chromium says where it listens");
            }
            while (line is not null && !line.StartsWith(Announcement, StringComparison.Ordinal));
            Assert.NotNull(line);

            // What nobody reads would fill the pipe and stop it.
            Waits.Observe(process.StandardError.ReadToEndAsync());
            Waits.Observe(process.StandardOutput.ReadToEndAsync());
            return new Browser(process, profile, new Uri(line[Announcement.Length..]));
        }
        catch
        {
            process.Kill(entireProcessTree: true);
            profile.Dispose();
            throw;
        }
    }

    /// <summary>A new, empty page.</summary>
    internal async Task<BrowserPage> OpenPageAsync()
    {
        using HttpClient client = new(new SocketsHttpHandler { UseProxy = false });
        using HttpResponseMessage answer = await client.PutAsync(
            new Uri($"http://127.0.0.1:{_address.Port}/json/new?about:blank"), null).Within(60.Seconds());
        var target = await answer.EnsureSuccessStatusCode().Content.ReadFromJsonAsync<JsonObject>();
        return await BrowserPage.ConnectAsync(new Uri(target!["webSocketDebuggerUrl"]!.GetValue<string>()));
    }

    public async ValueTask DisposeAsync()
    {
        _process.Kill(entireProcessTree: true);
        await _process.WaitForExitAsync().Within(60.Seconds());
        _process.Dispose();
        await Waits.Eventually(TryDeleteProfile, 60.Seconds());
    }

    /// <summary>Processes of the browser that are still ending may write to it.</summary>
    private bool TryDeleteProfile()
    {
        try
        {
            _profile.Dispose();
            return true;
        }
        catch (IOException)
        {
            return !Directory.Exists(_profile.Path);
        }
    }
}
