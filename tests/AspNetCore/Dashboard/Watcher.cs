using System.Text.Json.Nodes;

namespace Ioxide.AspNetCore.Tests;

/// <summary>One open stream of the dashboard's events.</summary>
internal sealed class Watcher : IDisposable
{
    private readonly HttpClient _client;
    private readonly StreamReader _reader;

    private Watcher(HttpClient client, HttpResponseMessage response, Stream stream)
    {
        _client = client;
        Response = response;
        _reader = new StreamReader(stream);
    }

    internal HttpResponseMessage Response { get; }

    /// <summary>Asks for the events, over a connection of its own. Whatever is answered is a watcher's.</summary>
    internal static async Task<Watcher> StartAsync(TestServer server)
        => await StartAsync(new HttpClient(server.CreateHandler()) { BaseAddress = new Uri("http://localhost/") });

    internal static async Task<Watcher> StartAsync(HttpClient client)
    {
        client.Timeout = Waits.Generous(60.Seconds());
        HttpResponseMessage response = await client.GetAsync(
            new Uri("/ioxide/events", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead).Within(60.Seconds());
        return new(client, response, await response.Content.ReadAsStreamAsync().Within(60.Seconds()));
    }

    /// <summary>The next event, checked to be two fields and an empty line.</summary>
    internal async Task<JsonNode> NextAsync()
    {
        Assert.Equal("retry: 2000", await ReadLineAsync());
        string data = (await ReadLineAsync())!;
        Assert.StartsWith("data: {", data, StringComparison.Ordinal);
        Assert.Equal("", await ReadLineAsync());
        return JsonNode.Parse(data["data: ".Length..])!;
    }

    /// <summary>The first event of which something is true. A hundred of which it is not are enough.</summary>
    internal async Task<JsonNode> UntilAsync(Func<JsonNode, bool> condition)
    {
        const int most = 100;
        JsonNode sample = await NextAsync();
        for (int count = 1; !condition(sample); count++)
        {
            Assert.True(count < most, $"None of {most} events shows it, the last one is {sample}");
            sample = await NextAsync();
        }

        return sample;
    }

    /// <summary>The rest, to an end that is the server's wish; a connection that breaks off throws.</summary>
    internal Task<string> ReadToEndAsync() => _reader.ReadToEndAsync().Within(60.Seconds(), "the stream has ended");

    public void Dispose()
    {
        _reader.Dispose();
        Response.Dispose();
        _client.Dispose();
    }

    private Task<string?> ReadLineAsync() => _reader.ReadLineAsync().Within(60.Seconds(), "a line of an event");
}
