using System.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>Why the server refused a request, as applications and listeners see it on stock Kestrel and on the engine.</summary>
public class BadRequestTests
{
    [Theory]
    [InlineData("/read", "413")]
    [InlineData("/throw", "418")]
    [InlineData("/other", "500")]
    [InlineData("/fine", "200")]
    [InlineData("/long", "431")]
    public async Task TheRefusalIsSeenAsOnKestrel(string path, string status)
    {
        string expected = await AskAsync(isEngine: false, path);
        string actual = await AskAsync(isEngine: true, path);
        Assert.StartsWith(status, expected, StringComparison.Ordinal);
        Assert.True(expected == actual, $"Kestrel:\n{expected}\nthe engine:\n{actual}");
    }

    private static async Task<string> AskAsync(bool isEngine, string path)
    {
        List<string> seen = [];
        TaskCompletionSource completed = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            ExpectsErrors = true,
            Kestrel = static kestrel => kestrel.Limits.MaxRequestBodySize = 10,
            Handler = async context =>
            {
                lock (seen)
                {
                    seen.Add($"before {Describe(context.Features)}");
                }

                context.Response.OnCompleted(() =>
                {
                    lock (seen)
                    {
                        seen.Add($"completed {Describe(context.Features)}");
                    }

                    completed.SetResult();
                    return Task.CompletedTask;
                });
                switch (context.Request.Path.Value)
                {
                    case "/throw":
                        throw new BadHttpRequestException("Of the application.", 418);
                    case "/other":
                        throw new InvalidOperationException("Of the application.");
                    default:
                        await context.Request.Body.CopyToAsync(Stream.Null);
                        break;
                }
            },
        });
        DiagnosticListener source = host.Services.GetRequiredService<DiagnosticListener>();
        using IDisposable listening = source.Subscribe(new Observer(told =>
        {
            if (told.Key.StartsWith("Microsoft.AspNetCore.Server", StringComparison.Ordinal))
            {
                lock (seen)
                {
                    seen.Add($"event {told.Key} {Describe((IFeatureCollection)told.Value!)}");
                }
            }
        }));
        using FrameClient client = await host.ConnectAsync();
        if (path == "/long")
        {
            (string, string)[] many = [.. Enumerable.Range(0, 101).Select(static index => ($"f{index}", "x"))];
            await client.SendAsync(FrameClient.Request(1, others: many));
        }
        else
        {
            byte[] request = path == "/read"
                ? [.. FrameClient.Request(1, path, ends: false, method: "POST", others: ("content-length", "20")), .. FrameClient.Data(1, new byte[20], ends: true)]
                : FrameClient.Request(1, path);
            await client.SendAsync(request);
            await completed.Task.Within(30.Seconds());
        }

        string? status = (await client.ReadStreamAsync(1))[0][":status"];
        await host.StopAsync();
        lock (seen)
        {
            return string.Join('\n', [status ?? "none", .. seen]);
        }
    }

    private static string Describe(IFeatureCollection features)
        => features.Get<IBadRequestExceptionFeature>() is { } feature ? $"{feature.Error?.GetType().Name} {(feature.Error as BadHttpRequestException)?.StatusCode}" : "without";

    private sealed class Observer(Action<KeyValuePair<string, object?>> onTold) : IObserver<KeyValuePair<string, object?>>
    {
        public void OnCompleted()
        {
        }

        public void OnError(Exception error) => Assert.Fail(error.ToString());

        public void OnNext(KeyValuePair<string, object?> value) => onTold(value);
    }
}
