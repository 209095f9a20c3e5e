using System.Collections.Concurrent;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections;

namespace Ioxide.Tls.Tests;

/// <summary>What the application of one endpoint sees of one client after the other: its callbacks and its requests.</summary>
internal sealed class Sightings
{
    private readonly ConcurrentQueue<string> _lines = new();
    private readonly ConcurrentQueue<X509Certificate2> _kept = new();
    private TaskCompletionSource _accepted = Waits.Signal();
    private TaskCompletionSource _asked = Waits.Signal();
    private TaskCompletionSource _ended = Waits.Signal();

    /// <summary>The next client's handshake is done, and nothing of its request was read.</summary>
    internal Task Accepted => _accepted.Task;

    /// <summary>The connection of an accepted client has ended, and with it the application's part.</summary>
    internal Task Ended => _ended.Task;

    /// <summary>A callback was asked about the next client.</summary>
    internal Task Asked => _asked.Task;

    /// <summary>Holds back a slow callback until it is set.</summary>
    internal ManualResetEventSlim Gate { get; } = new();

    internal void Add(string line) => _lines.Enqueue(line);

    /// <summary>Stands behind TLS.</summary>
    internal async Task FollowAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        _accepted.TrySetResult();
        try
        {
            await next(connection);
        }
        finally
        {
            _ended.TrySetResult();
        }
    }

    /// <summary>All that a callback is given of a client's certificate, as it is now.</summary>
    internal void AddQuestion(X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        Add($"asked about {certificate?.Subject ?? "none"}, {errors}, {Describe(chain)}");
        _asked.TrySetResult();
    }

    /// <summary>Callbacks may keep what they are given.</summary>
    internal void Keep(X509Chain chain)
    {
        foreach (X509ChainElement element in chain.ChainElements)
        {
            _kept.Enqueue(element.Certificate);
        }
    }

    /// <summary>What was kept, read again.</summary>
    internal void AddKept()
    {
        try
        {
            Add($"kept {string.Join(" < ", _kept.Select(static certificate => certificate.GetNameInfo(X509NameType.SimpleName, false)))}");
        }
        catch (Exception exception)
        {
            Add($"kept, and freed meanwhile: {exception.GetType().Name}");
        }
    }

    /// <summary>Everything since the last call.</summary>
    internal string Take()
    {
        string seen = string.Join("; ", _lines);
        _lines.Clear();
        _kept.Clear();
        Gate.Reset();
        _accepted = Waits.Signal();
        _asked = Waits.Signal();
        _ended = Waits.Signal();
        return seen;
    }

    private static string Describe(X509Chain? chain)
    {
        if (chain is null)
        {
            return "no chain";
        }

        X509ChainPolicy policy = chain.ChainPolicy;
        string elements = string.Join(
            " < ", chain.ChainElements.Select(static element => element.Certificate.Subject + string.Concat(
                element.ChainElementStatus.Select(static status => $" {status.Status}"))));
        string status = string.Join(' ', chain.ChainStatus.Select(static status => status.Status));
        string usage = string.Join(' ', policy.ApplicationPolicy.Cast<Oid>().Select(static oid => oid.Value));
        return $"chain [{elements}], status [{status}], {policy.TrustMode} of {policy.CustomTrustStore.Count}, {policy.RevocationMode} "
            + $"{policy.RevocationFlag} {policy.VerificationFlags}, usage {usage}, extra {policy.ExtraStore.Count}, "
            + $"downloads {!policy.DisableCertificateDownloads}";
    }
}
