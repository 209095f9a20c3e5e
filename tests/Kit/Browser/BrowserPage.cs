using System.Collections.Concurrent;
using System.Net.WebSockets;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Ioxide.TestKit;

/// <summary>One page of a <see cref="Browser"/>, spoken to as developer tools do. Source: Chrome DevTools Protocol 1.3.</summary>
internal sealed class BrowserPage : IAsyncDisposable
{
    private readonly ClientWebSocket _socket = new();
    private readonly ConcurrentDictionary<int, TaskCompletionSource<JsonNode>> _waiting = new();
    private readonly ConcurrentDictionary<string, Loaded> _loaded = new();
    private readonly SemaphoreSlim _loads = new(0);
    private readonly ConcurrentQueue<string> _asked = new();
    private readonly ConcurrentQueue<string> _complaints = new();
    private Task _receiving = Task.CompletedTask;
    private int _lastId;

    private BrowserPage()
    {
    }

    internal static async Task<BrowserPage> ConnectAsync(Uri address)
    {
        var page = new BrowserPage();
        await page._socket.ConnectAsync(address, CancellationToken.None).Within(60.Seconds());
        page._receiving = page.ReceiveAsync();
        await page.CallAsync("Network.enable");
        await page.CallAsync("Page.enable");
        await page.CallAsync("Runtime.enable");
        await page.CallAsync("Log.enable");
        return page;
    }

    /// <summary>Each address that the page asked for, in order, whatever came of it.</summary>
    internal IReadOnlyCollection<string> Asked => _asked;

    /// <summary>What the browser has to say against the page: errors of scripts, warnings, what a policy forbade.</summary>
    internal IReadOnlyCollection<string> Complaints => _complaints;

    /// <summary>Opens an address and waits until everything of the page is there. What was loaded for it, by path.</summary>
    internal Task<Dictionary<string, Loaded>> OpenAsync(Uri address) => LoadAsync("Page.navigate", new JsonObject { ["url"] = address.ToString() });

    /// <summary>As the button of a browser does it.</summary>
    internal Task<Dictionary<string, Loaded>> ReloadAsync() => LoadAsync("Page.reload", []);

    /// <summary>What an expression of the page's is, after its promise is kept.</summary>
    internal async Task<JsonNode?> EvaluateAsync(string expression)
    {
        JsonNode result = await CallAsync("Runtime.evaluate", new JsonObject
        {
            ["expression"] = expression,
            ["awaitPromise"] = true,
            ["returnByValue"] = true,
        });
        Require(result["exceptionDetails"] is null, $"{expression}: {result["exceptionDetails"]}");
        return result["result"]!["value"];
    }

    /// <summary>Makes the page believe that its reader wants a dark or a light one.</summary>
    internal Task PreferAsync(bool isDark) => CallAsync("Emulation.setEmulatedMedia", new JsonObject
    {
        ["features"] = new JsonArray(new JsonObject { ["name"] = "prefers-color-scheme", ["value"] = isDark ? "dark" : "light" }),
    });

    /// <summary>Gives the page a window of so many CSS pixels.</summary>
    internal Task SizeAsync(int width, int height) => CallAsync("Emulation.setDeviceMetricsOverride", new JsonObject
    {
        ["width"] = width,
        ["height"] = height,
        ["deviceScaleFactor"] = 1,
        ["mobile"] = false,
    });

    /// <summary>Moves the pointer to a place of the window, in CSS pixels.</summary>
    internal Task PointAsync(double x, double y) => CallAsync("Input.dispatchMouseEvent", new JsonObject
    {
        ["type"] = "mouseMoved",
        ["x"] = x,
        ["y"] = y,
    });

    /// <summary>Waits until an expression of the page's is true.</summary>
    internal async Task UntilAsync(string expression, TimeSpan limit)
    {
        string wait = $$"""
            new Promise(resolve => {
              const look = () => ({{expression}}) ? resolve(true) : setTimeout(look, 50);
              look();
            })
            """;
        await EvaluateAsync(wait).Within(limit, expression).ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        if (_socket.State == WebSocketState.Open)
        {
            // Scripts of a page that nobody closes would go on asking its server, or another one on its port.
            await CallAsync("Page.close");
        }

        _socket.Abort();
        await _receiving.Within(60.Seconds());
        _socket.Dispose();
        _loads.Dispose();
    }

    private async Task<Dictionary<string, Loaded>> LoadAsync(string method, JsonObject parameters)
    {
        _loaded.Clear();
        await CallAsync(method, parameters);
        Require(await _loads.WaitAsync(120.Seconds()), "The page did not load.");
        await EvaluateAsync("document.fonts.ready.then(() => true)");

        // What a script asked for again counts as it came last.
        var loadedByPath = new Dictionary<string, Loaded>();
        foreach (Loaded loaded in _loaded.Values.Where(static loaded => loaded.Path.Length > 0))
        {
            loadedByPath[loaded.Path] = loaded;
        }

        return loadedByPath;
    }

    private static void Require(bool holds, string what)
    {
        if (!holds)
        {
            throw new InvalidOperationException(what);
        }
    }

    private async Task<JsonNode> CallAsync(string method, JsonObject? parameters = null)
    {
        int id = Interlocked.Increment(ref _lastId);
        TaskCompletionSource<JsonNode> answered = Waits.Signal<JsonNode>();
        _waiting[id] = answered;
        byte[] message = JsonSerializer.SerializeToUtf8Bytes<JsonNode>(
            new JsonObject { ["id"] = id, ["method"] = method, ["params"] = parameters ?? [] });
        await _socket.SendAsync(message, WebSocketMessageType.Text, endOfMessage: true, CancellationToken.None);
        JsonNode answer = await answered.Task.Within(120.Seconds(), method);
        Require(answer["error"] is null, $"{method}: {answer["error"]}");
        return answer["result"]!;
    }

    private async Task ReceiveAsync()
    {
        try
        {
            while (await ReceiveMessageAsync() is { } message)
            {
                if (message["id"]?.GetValue<int>() is { } id)
                {
                    _waiting[id].SetResult(message);
                }
                else
                {
                    Note(message["method"]!.GetValue<string>(), message["params"]!);
                }
            }
        }
        catch (Exception exception) when (exception is WebSocketException or OperationCanceledException or ObjectDisposedException)
        {
            // The page was closed; who waits says so.
        }
    }

    private async Task<JsonNode?> ReceiveMessageAsync()
    {
        using var message = new MemoryStream();
        byte[] buffer = new byte[64 * 1024];
        ValueWebSocketReceiveResult received;
        do
        {
            received = await _socket.ReceiveAsync(buffer.AsMemory(), CancellationToken.None);
            message.Write(buffer, 0, received.Count);
        }
        while (!received.EndOfMessage);
        return received.MessageType == WebSocketMessageType.Close ? null : JsonNode.Parse(message.ToArray());
    }

    private void Note(string method, JsonNode happened)
    {
        switch (method)
        {
            case "Page.loadEventFired":
                _loads.Release();
                break;
            case "Network.requestServedFromCache":
                Of(happened).IsFromCache = true;
                break;
            case "Network.responseReceived":
                JsonNode response = happened["response"]!;
                Loaded loaded = Of(happened);
                loaded.Path = new Uri(response["url"]!.GetValue<string>()).AbsolutePath;
                loaded.Status = response["status"]!.GetValue<int>();
                loaded.Coding = response["headers"]!.AsObject()
                    .FirstOrDefault(static header => header.Key.Equals("Content-Encoding", StringComparison.OrdinalIgnoreCase))
                    .Value?.GetValue<string>();
                loaded.IsFromCache |= response["fromDiskCache"]?.GetValue<bool>() ?? false;
                break;
            case "Network.requestWillBeSent":
                _asked.Enqueue(happened["request"]!["url"]!.GetValue<string>());
                break;
            case "Runtime.exceptionThrown":
                _complaints.Enqueue(happened["exceptionDetails"]!.ToJsonString());
                break;
            case "Runtime.consoleAPICalled":
                _complaints.Enqueue(happened["args"]!.ToJsonString());
                break;
            case "Log.entryAdded":
                _complaints.Enqueue(happened["entry"]!.ToJsonString());
                break;
            default:
                // Much else happens in a page.
                break;
        }

        Loaded Of(JsonNode node) => _loaded.GetOrAdd(node["requestId"]!.GetValue<string>(), static _ => new Loaded());
    }

    /// <summary>Something that the page asked for.</summary>
    internal sealed class Loaded
    {
        internal string Path { get; set; } = "";

        internal int Status { get; set; }

        internal string? Coding { get; set; }

        /// <summary>The browser did not ask the server for it.</summary>
        internal bool IsFromCache { get; set; }
    }
}
