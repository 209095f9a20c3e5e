using System.Globalization;
using System.IO.Pipelines;
using System.Net;
using Ioxide.AspNetCore;
using Ioxide.Chaos;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.ChaosHost;

/// <summary>What the host answers.</summary>
/// <remarks>
/// <c>/pattern?key=K&amp;length=L</c> answers with the bytes of the key, <c>/blank?length=L</c> with zeros, <c>/echo</c> with the
/// body, <c>/slow</c> as the first after <c>ms</c> milliseconds, <c>/deaf?ms=M</c> after a while even where the client is gone,
/// <c>/block?ms=M</c> blocks its reactor, <c>/where</c> names it, <c>/stats</c> gives a <see cref="HostStats"/>; with
/// <c>?collect=1</c> after a collection, <c>/who</c> names the client and the balancer's id of the connection. <c>/hold?key=K&amp;length=L</c>
/// and <c>/held</c> are answered half and not at all until <c>/release</c>; <c>/silent</c> counts the second ones.
/// </remarks>
internal static class Endpoints
{
    internal static Task ServeAsync(HttpContext context) => context.Request.Path.Value switch
    {
        "/pattern" => PatternAsync(context),
        "/blank" => BlankAsync(context),
        "/echo" => EchoAsync(context),
        "/slow" => SlowAsync(context),
        "/deaf" => DeafAsync(context),
        "/block" => BlockAsync(context),
        "/hold" => Holding.HoldAnswerAsync(context),
        "/held" => Holding.HoldSilentAsync(context),
        "/silent" => Holding.CountSilentAsync(context),
        "/release" => Holding.ReleaseAsync(context),
        "/who" => TextAsync(context, Describe(context)),
        "/where" => TextAsync(context, $"{ReactorOf(context).Id}"),
        "/stats" => TextAsync(context, HostStats.Read(ReactorOf(context).Group, Number(context, "collect") != 0).ToJson()),
        _ => NotFoundAsync(context),
    };

    private static Task PatternAsync(HttpContext context)
    {
        ulong key = ulong.Parse(context.Request.Query["key"].ToString(), CultureInfo.InvariantCulture);
        return WriteAsync(context, (bytes, offset) => KeyedPattern.Fill(bytes, key, offset));
    }

    private static Task BlankAsync(HttpContext context) => WriteAsync(context, static (bytes, _) => bytes.Clear());

    private static async Task WriteAsync(HttpContext context, Action<Span<byte>, int> fill)
    {
        int lengthBytes = Number(context, "length");
        context.Response.ContentLength = lengthBytes;
        PipeWriter output = context.Response.BodyWriter;
        for (int offset = 0; offset < lengthBytes;)
        {
            int count = Math.Min(RawHttp.ChunkBytes, lengthBytes - offset);
            fill(output.GetSpan(count)[..count], offset);
            output.Advance(count);
            offset += count;
            FlushResult flushed = await output.FlushAsync();
            if (flushed.IsCompleted || context.RequestAborted.IsCancellationRequested)
            {
                context.Abort();
                return;
            }
        }
    }

    /// <remarks>
    /// Not by <see cref="PipeReader.CopyToAsync(PipeWriter, CancellationToken)"/>: where a flush tells that the client is gone, it advances to no
    /// position at all, and Kestrel refuses that with an exception, over sockets as well (.NET 10.0).
    /// </remarks>
    private static async Task EchoAsync(HttpContext context)
    {
        context.Response.ContentLength = context.Request.ContentLength;
        PipeReader input = context.Request.BodyReader;
        ReadResult read;
        do
        {
            read = await input.ReadAsync();
            foreach (ReadOnlyMemory<byte> piece in read.Buffer)
            {
                FlushResult flushed = await context.Response.BodyWriter.WriteAsync(piece);
                if (flushed.IsCompleted)
                {
                    input.AdvanceTo(read.Buffer.End);
                    context.Abort();
                    return;
                }
            }

            input.AdvanceTo(read.Buffer.End);
        }
        while (!read.IsCompleted);
    }

    private static async Task SlowAsync(HttpContext context)
    {
        await Task.Delay(Number(context, "ms"), context.RequestAborted);
        await PatternAsync(context);
    }

    private static async Task DeafAsync(HttpContext context)
    {
        await Task.Delay(Number(context, "ms"), CancellationToken.None);
        await TextAsync(context, "late");
    }

    private static Task BlockAsync(HttpContext context)
    {
        Thread.Sleep(Number(context, "ms"));
        return TextAsync(context, $"{ReactorOf(context).Id}");
    }

    private static Task NotFoundAsync(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status404NotFound;
        return Task.CompletedTask;
    }

    internal static Task TextAsync(HttpContext context, string text)
    {
        context.Response.ContentLength = text.Length;
        return context.Response.WriteAsync(text);
    }

    private static string Describe(HttpContext context)
    {
        ConnectionInfo connection = context.Connection;
        // The balancer's id of the connection.
        ReadOnlyMemory<byte> id = default;
        context.Features.Get<IProxyProtocolFeature>()?.TryGetValue(0x05, out id);
        return $"{new IPEndPoint(connection.RemoteIpAddress!, connection.RemotePort)} {Convert.ToHexString(id.Span)}";
    }

    private static Reactor ReactorOf(HttpContext context) => context.Features.GetRequiredFeature<IReactorFeature>().Reactor;

    private static int Number(HttpContext context, string name)
        => int.TryParse(context.Request.Query[name].ToString(), CultureInfo.InvariantCulture, out int value) ? value : 0;
}
