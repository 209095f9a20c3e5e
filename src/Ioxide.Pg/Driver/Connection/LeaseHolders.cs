using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Who has a session of a data source open, and since when (<see cref="PgDataSourceOptions.TraceLeases"/>).</summary>
/// <remarks>Threads: any. It has as many entries as there are sessions that were not disposed.</remarks>
internal sealed class LeaseHolders(PgLog log)
{
    private const int MostNamed = 10;

    private readonly LinkedList<LeaseHolder> _holders = [];
    private RuntimeLock _lock;

    /// <summary>A session was opened.</summary>
    internal TracedLease Add(string callSite)
    {
        var holder = new LeaseHolder(callSite);
        using HeldLock held = _lock.Hold();
        _holders.AddLast(holder);
        return new TracedLease(this, holder);
    }

    internal void Remove(LeaseHolder holder)
    {
        using HeldLock held = _lock.Hold();
        _holders.Remove(holder);
    }

    /// <summary>A session was collected without being disposed: it stays in the list, because its connection stays taken.</summary>
    internal void Lost(LeaseHolder holder)
    {
        holder.IsLost = true;
        log.LeaseNotDisposed(holder.CallSite, holder.AgeSeconds);
    }

    /// <summary>Names the oldest holders, one a line.</summary>
    public override string ToString()
    {
        LeaseHolder[] holders = Snapshot();
        var text = new StringBuilder();
        foreach (LeaseHolder holder in holders.Take(MostNamed))
        {
            text.Append(
                CultureInfo.InvariantCulture,
                $"\nTaken {holder.AgeSeconds:0.0} s ago {holder.CallSite}{(holder.IsLost ? ", and collected without being disposed" : "")}");
        }

        return holders.Length <= MostNamed ? text.ToString()
            : text.Append(CultureInfo.InvariantCulture, $"\nand {holders.Length - MostNamed} more").ToString();
    }

    private LeaseHolder[] Snapshot()
    {
        using HeldLock held = _lock.Hold();
        return [.. _holders];
    }
}

/// <summary>One open session: where it was opened, and when.</summary>
internal sealed class LeaseHolder(string callSite)
{
    private readonly long _openedAt = Stopwatch.GetTimestamp();

    internal string CallSite => callSite;

    internal bool IsLost { get; set; }

    internal double AgeSeconds => Stopwatch.GetElapsedTime(_openedAt).TotalSeconds;
}

/// <summary>The session's end of its entry. Only the session refers to it, so it is collected with the session.</summary>
internal sealed class TracedLease(LeaseHolders holders, LeaseHolder holder) : IDisposable
{
    ~TracedLease() => holders.Lost(holder);

    /// <summary>The session is disposed.</summary>
    public void Dispose()
    {
        GC.SuppressFinalize(this);
        holders.Remove(holder);
    }
}

/// <summary>Finds the call of the application on the stack.</summary>
internal static class CallSite
{
    /// <summary>The innermost frame that is neither the driver's nor the framework's, with file and line where its symbols are known.</summary>
    internal static string OfApplication()
    {
        var trace = new StackTrace(fNeedFileInfo: false);
        for (int i = 1; i < trace.FrameCount; i++)
        {
            if (trace.GetFrame(i) is { } frame && DiagnosticMethodInfo.Create(frame)?.DeclaringAssemblyName is { } assembly && !IsOurs(assembly))
            {
                return new StackTrace(new StackFrame(i, needFileInfo: true)).ToString().Trim();
            }
        }

        return "by a command of Ioxide.Pg that continued on a reactor";
    }

    private static bool IsOurs(string assembly)
        => assembly.Split(',')[0] is "Ioxide" or "Ioxide.Pg" or "Ioxide.AspNetCore" || assembly.StartsWith("System.", StringComparison.Ordinal)
            || assembly.StartsWith("Microsoft.", StringComparison.Ordinal);
}
