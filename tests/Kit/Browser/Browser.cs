using System.Diagnostics;
using System.Net.Http.Json;
using System.Text.Json.Nodes;

namespace Ioxide.TestKit;

/// <summary>Chromium without a window, with a profile of its own. Needs what <see cref="Missing"/> says.</summary>
internal sealed class Browser : IAsyncDisposable
{
    private const string Announcement = "DevTools listening on ";
    private static readonly string[] s_programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

    private readonly Process _process;
    private readonly DirectoryInfo _profile;
    private readonly Uri _address;

    private Browser(Process process, DirectoryInfo profile, Uri address)
    {
        _process = process;
        _profile = profile;
        _address = address;
    }

    /// <summary>Why a test that needs a browser is skipped here, or null.</summary>
    internal static string? Missing => s_programs.Any(File.Exists) ? null : "Chromium is not installed.";

    /// <param name="more">Further arguments of its command line.</param>
    internal static async Task<Browser> StartAsync(params string[] more)
    {
        string program = s_programs.First(File.Exists);
        DirectoryInfo profile = Directory.CreateTempSubdirectory("ioxide-browser-");
        var start = new ProcessStartInfo(program)
        {
            RedirectStandardError = true,
            RedirectStandardOutput = true,
            ArgumentList =
            {
                "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--no-proxy-server", "--remote-debugging-port=0",
                $"--user-data-dir={profile.FullName}", "about:blank",
            },
        };
        foreach (string argument in more)
        {
            start.ArgumentList.Add(argument);
        }

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
            if (line is null)
            {
                throw new InvalidOperationException("Chromium ended before it listened.");
            }

            // What nobody reads would fill the pipe and stop it.
            Waits.Observe(process.StandardError.ReadToEndAsync());
            Waits.Observe(process.StandardOutput.ReadToEndAsync());
            return new Browser(process, profile, new Uri(line[Announcement.Length..]));
        }
        catch
        {
            process.Kill(entireProcessTree: true);
            profile.Delete(recursive: true);
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
            _profile.Delete(recursive: true);
            return true;
        }
        catch (IOException)
        {
            return !Directory.Exists(_profile.FullName);
        }
    }
}
