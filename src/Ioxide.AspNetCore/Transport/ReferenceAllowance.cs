using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Ioxide.AspNetCore;

/// <summary>How long a client may take for bytes that are sent by reference: as long as for bytes that are copied.</summary>
/// <remarks>
/// Kestrel ends a connection whose flush takes longer than <c>MinResponseDataRate</c> allows for the bytes that were written. It does not count
/// memory that its writer advances over in a response with a Content-Length, so that a flush of megabytes had the grace period alone. Here the
/// flush gets a grace period that has the time for the bytes in it. Time that earlier flushes did not need stays the connection's, as Kestrel's
/// own does. A field of the connection, which is used in place. Threads: the writer's.
/// </remarks>
internal struct ReferenceAllowance
{
    /// <summary>More time than anybody waits: no client makes the sum overflow.</summary>
    private const long MostMs = 24 * 60 * 60 * 1000;

    private long _until;
    private MinDataRate? _given;

    /// <summary>Flushes a response behind bytes that were written by reference.</summary>
    internal ValueTask<FlushResult> FlushAsync(HttpContext context, int bytes)
    {
        PipeWriter body = context.Response.BodyWriter;
        if (context.Features.Get<IHttpMinResponseDataRateFeature>() is not { MinDataRate: { } rate } limit)
        {
            return body.FlushAsync();
        }

        // Kestrel reads the rate before the call returns.
        limit.MinDataRate = Give(rate, bytes);
        try
        {
            return body.FlushAsync();
        }
        finally
        {
            limit.MinDataRate = rate;
        }
    }

    /// <summary>A rate whose grace period is long enough for all that was given, and at most twice as long: most flushes need no new one.</summary>
    internal MinDataRate Give(MinDataRate rate, int bytes)
    {
        long now = Environment.TickCount64;
        long needed = (long)Math.Min(bytes / rate.BytesPerSecond * 1000, MostMs);
        _until = Math.Min(Math.Max(now, _until) + needed, now + MostMs);
        TimeSpan left = TimeSpan.FromMilliseconds(_until - now);
        if (left <= rate.GracePeriod)
        {
            return rate;
        }

        if (_given is not { } given || !given.BytesPerSecond.Equals(rate.BytesPerSecond) || given.GracePeriod < left || given.GracePeriod > 2 * left)
        {
            _given = given = new MinDataRate(rate.BytesPerSecond, 1.5 * left);
        }

        return given;
    }
}
