using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Ioxide.Do.Checks;

/// <summary>The templates, as a user gets them: installed, made, built against the packages, run.</summary>
internal sealed partial class Templates
{
    private const string Packages = "artifacts/packages";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

    private readonly CheckLog _log;
    private readonly string _work;

    private Templates(CheckLog log, string work)
    {
        _log = log;
        _work = work;
    }

    internal static Check Check => new("templates", static async log =>
    {
        // Outside the repository, so that nothing of it is inherited.
        DirectoryInfo work = Directory.CreateTempSubdirectory("ioxide-templates-");
        try
        {
            await new Templates(log, work.FullName).RunAsync();
            return 0;
        }
        finally
        {
            work.Delete(recursive: true);
        }
    });

    private async Task RunAsync()
    {
        await RunAsync("dotnet", "new", "install", Directory.GetFiles(Packages, "Ioxide.Templates.*.nupkg").Single(), "--debug:custom-hive", Hive);

        string web = await MakeAsync("ioxide", "Shop.Web"), raw = await MakeAsync("ioxide-raw", "Shop.Echo");
        await TheAnalyzerComesWithThePackageAsync();
        await NoSourceIsAddedUnaskedAsync();
        await TheMachinesOwnSourceServesTheRestAsync();
        await ServeAsync([web], HttpAddress(), AskWebAsync);
        await ServeAsync([raw, "--port", "0"], EchoPort(), AskEchoAsync);
        await RefusesAsync(raw, ["abc"], "there is no option 'abc'");
        await RefusesAsync(raw, ["--port", "0", "--reuse"], "there is no option '--reuse'");
        await RefusesAsync(raw, ["--port", "abc"], "--port takes a number from 0 to 65535, not 'abc'");
        await RefusesAsync(raw, ["--port"], "--port takes a number from 0 to 65535, not ''");
        await RefusesAsync(raw, ["--address", "everywhere"], "--address takes an IP address, not 'everywhere'");
        await APlaceThatIsTakenIsNamedAsync(raw);
    }

    private string Hive => Path.Combine(_work, "hive");

    /// <summary>Makes and builds a project, and lets it check the machine. A refused ring is told there, and is no fault of the template.</summary>
    private async Task<string> MakeAsync(string template, string name)
    {
        string folder = Path.Combine(_work, name), output = Path.Combine(folder, "out"), program = Path.Combine(output, name);
        await RunAsync("dotnet", "new", template, "-n", name, "-o", folder, "--packages", Path.GetFullPath(Packages), "--debug:custom-hive", Hive);
        await CheckLaunchSettingsAsync(folder);
        await RunAsync("dotnet", "build", folder, "-c", "Release", "-warnaserror", "-v", "quiet", "-nologo", "-o", output);
        CheckLog said = LogOf($"{name}.check");
        int status = await said.RunAsync(Job(program, "--ioxide-check"));
        return status <= 1 && KernelIsSound().IsMatch(said.Text())
            ? program
            : throw new InvalidOperationException($"{template}: --ioxide-check ended with {status} and said:\n{said.Text()}");
    }

    /// <summary>The control: without a folder of packages the project leaves the machine's sources as they are.</summary>
    private async Task NoSourceIsAddedUnaskedAsync()
    {
        string folder = Path.Combine(_work, "Plain");
        await RunAsync("dotnet", "new", "ioxide-raw", "-o", folder, "--debug:custom-hive", Hive);
        if (!File.Exists(Path.Combine(folder, "Plain.csproj")) || File.Exists(Path.Combine(folder, "nuget.config")))
        {
            throw new InvalidOperationException($"ioxide-raw without --packages made: {string.Join(' ', Directory.GetFiles(folder))}");
        }
    }

    /// <summary>A machine may have one source, of any name: what is not of Ioxide comes from there.</summary>
    private async Task TheMachinesOwnSourceServesTheRestAsync()
    {
        string place = Path.Combine(_work, "Company"), feed = Path.Combine(place, "feed"), words = Path.Combine(place, "Company.Words"), shop = Path.Combine(place, "Shop");
        Directory.CreateDirectory(feed);
        Directory.CreateDirectory(words);
        await File.WriteAllTextAsync(
            Path.Combine(place, "nuget.config"), $"<configuration><packageSources><clear /><add key=\"company\" value=\"{feed}\" /></packageSources></configuration>");
        await File.WriteAllTextAsync(
            Path.Combine(words, "Company.Words.csproj"),
            "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup></Project>");
        await RunAsync("dotnet", "pack", words, "-o", feed, "-v", "quiet", "-nologo");
        await RunAsync("dotnet", "new", "ioxide-raw", "-o", shop, "--packages", Path.GetFullPath(Packages), "--debug:custom-hive", Hive);
        await RunAsync("dotnet", "add", shop, "package", "Company.Words", "--version", "1.0.0");
    }

    /// <summary>What `dotnet run` and an editor start is this project.</summary>
    private static async Task CheckLaunchSettingsAsync(string folder)
    {
        string text = await File.ReadAllTextAsync(Path.Combine(folder, "Properties", "launchSettings.json"));
        using var settings = JsonDocument.Parse(text);
        foreach (JsonProperty profile in settings.RootElement.GetProperty("profiles").EnumerateObject())
        {
            Expect("Project", profile.Value.GetProperty("commandName").GetString() ?? "");
        }

        if (text.Contains("Ioxide", StringComparison.Ordinal))
        {
            throw new InvalidOperationException($"{folder}: a profile has the template's name and not the project's:\n{text}");
        }
    }

    private async Task APlaceThatIsTakenIsNamedAsync(string program)
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        await EndsAsync(
            program, ["--port", $"{((IPEndPoint)taken.LocalEndpoint).Port}"], 1,
            $"Could not bind {taken.LocalEndpoint}: Address already in use (EADDRINUSE). Choose another place by --port and --address.");
    }

    /// <summary>A command line that it does not understand ends it with status 2.</summary>
    private Task RefusesAsync(string program, string[] arguments, string expected)
        => EndsAsync(program, arguments, 2, $"{expected}. --help lists what there is.");

    /// <summary>It ends by itself with one line that says why, and without an exception's trace.</summary>
    private async Task EndsAsync(string program, string[] arguments, int expectedStatus, string expected)
    {
        string name = Path.GetFileName(program);
        CheckLog said = LogOf($"{name}.{string.Join('.', arguments)}");
        int status = await said.RunAsync(Job([program, .. arguments]) with { Limit = s_patience });
        string line = $"{name}: {expected}";
        if (status != expectedStatus || !said.Text().Split('\n').Contains(line) || said.Text().Contains("   at ", StringComparison.Ordinal))
        {
            throw new InvalidOperationException($"{program} {string.Join(' ', arguments)} ended with {status}, '{line}' was expected, and it said:\n{said.Text()}");
        }
    }

    private async Task TheAnalyzerComesWithThePackageAsync()
    {
        string from = Path.Combine(_work, "Shop.Web"), to = Path.Combine(_work, "Blocking");
        Directory.CreateDirectory(to);
        File.Copy(Path.Combine(from, "Shop.Web.csproj"), Path.Combine(to, "Blocking.csproj"));
        File.Copy(Path.Combine(from, "nuget.config"), Path.Combine(to, "nuget.config"));
        string program = await File.ReadAllTextAsync(Path.Combine(from, "Program.cs"));
        await File.WriteAllTextAsync(
            Path.Combine(to, "Program.cs"), RootHandler().Replace(program, "app.MapGet(\"/\", () => Task.FromResult(1).Result);"));
        CheckLog said = LogOf("Blocking.build");
        int status = await said.RunAsync(Job("dotnet", "build", to, "-nologo"));
        if (status != 0 || !said.Text().Contains("warning IOX0001", StringComparison.Ordinal))
        {
            throw new InvalidOperationException($"ioxide: a handler that blocks is built without IOX0001\n{said.Text()}");
        }
    }

    /// <summary>Starts a server, asks it where it says that it listens, and stops it.</summary>
    private async Task ServeAsync(string[] words, Regex listens, Func<string, Task> ask)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(_log.Stop);
        var said = new CheckLog($"{words[0]}.log", stop.Token);
        Task<int> serving = said.RunAsync(Job(words) with { Environment = [.. Environment, ("ASPNETCORE_URLS", "http://127.0.0.1:0")] });
        try
        {
            DateTime limit = DateTime.UtcNow + s_patience;
            while (!listens.IsMatch(said.Text()))
            {
                if (serving.IsCompleted || DateTime.UtcNow > limit)
                {
                    throw new InvalidOperationException($"{words[0]} does not listen, and said:\n{said.Text()}");
                }

                await Task.Delay(100, _log.Stop);
            }

            await ask(listens.Match(said.Text()).Groups[1].Value).WaitAsync(s_patience, _log.Stop);
        }
        finally
        {
            await stop.CancelAsync();
            await serving;
        }

        if (await serving != 0)
        {
            throw new InvalidOperationException($"{words[0]} did not stop in order, and said:\n{said.Text()}");
        }
    }

    private static async Task AskWebAsync(string address)
    {
        using var client = new HttpClient { BaseAddress = new Uri(address) };
        Expect("Hello from Ioxide", await client.GetStringAsync(new Uri("/", UriKind.Relative)));
        using HttpResponseMessage live = await client.GetAsync(new Uri("/live", UriKind.Relative));
        live.EnsureSuccessStatusCode();
    }

    private static async Task AskEchoAsync(string port)
    {
        using var client = new TcpClient();
        await client.ConnectAsync("127.0.0.1", int.Parse(port, System.Globalization.CultureInfo.InvariantCulture));
        byte[] sent = "there and back\n"u8.ToArray(), answer = new byte[sent.Length];
        await client.GetStream().WriteAsync(sent);
        await client.GetStream().ReadExactlyAsync(answer);
        Expect("there and back\n", Encoding.UTF8.GetString(answer));
    }

    private static void Expect(string expected, string answer)
    {
        if (answer != expected)
        {
            throw new InvalidOperationException($"'{expected}' was expected, and '{answer}' came.");
        }
    }

    // Packages of the same version may be in the user's own cache.
    private (string, string)[] Environment
        => [("NUGET_PACKAGES", Path.Combine(_work, "cache")), ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"), ("DOTNET_NOLOGO", "1")];

    private CheckLog LogOf(string name) => new(Path.Combine(_work, $"{name}.log"), _log.Stop);

    private Job Job(params string[] words) => new(words[0], words) { Niceness = 19, Environment = Environment };

    private async Task RunAsync(params string[] words)
    {
        int status = await _log.RunAsync(Job(words));
        if (status != 0)
        {
            throw new InvalidOperationException($"{string.Join(' ', words)} ended with status {status}.");
        }
    }

    [GeneratedRegex("^ok *kernel ", RegexOptions.Multiline)]
    private static partial Regex KernelIsSound();

    [GeneratedRegex("^app.MapGet\\(\"/\", .*$", RegexOptions.Multiline)]
    private static partial Regex RootHandler();

    [GeneratedRegex(@"listening on: (http\S+)")]
    private static partial Regex HttpAddress();

    [GeneratedRegex(@"^listening on 127\.0\.0\.1:(\d+) ", RegexOptions.Multiline)]
    private static partial Regex EchoPort();
}
