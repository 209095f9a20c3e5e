using System.Buffers;
using System.Net.Security;
using BenchmarkDotNet.Attributes;
using Ioxide.Tls;

namespace Ioxide.Benchmarks;

/// <summary>One TLS 1.3 record is sealed, and opened.</summary>
public class TlsRecordBenchmarks : IDisposable
{
    private RecordSealer _sealer = null!; // Set before a benchmark runs.
    private RecordOpener _opener = null!; // Set before a benchmark runs.
    private byte[] _data = [];
    private byte[] _sealed = [];
    private byte[] _record = [];

    /// <summary>Of its content.</summary>
    [Params(128, 16 * 1024)]
    public int LengthBytes { get; set; } = 128;

    [GlobalSetup]
    public void Start()
    {
        _sealer = new RecordSealer(Keys(), 0);
        _opener = new RecordOpener(Keys(), 0);
        _data = new byte[LengthBytes];
        _sealed = new byte[LengthBytes + _sealer.OverheadBytes];
        _record = new byte[_sealed.Length];
        _sealer.Seal(RecordType.ApplicationData, _data, _record);
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _sealer.Dispose();
        _opener.Dispose();
        GC.SuppressFinalize(this);
    }

    [Benchmark]
    public int Seal()
    {
        _sealer.Sequence = 0;
        return _sealer.Seal(RecordType.ApplicationData, _data, _sealed);
    }

    [Benchmark]
    public int Open()
    {
        _opener.Sequence = 0;
        var whole = new ReadOnlySequence<byte>(_record);
        return RecordHeader.TryRead(whole, _opener.MaxExpansion, out RecordHeader header)
            ? _opener.Open(header, whole.Slice(RecordHeader.SizeInBytes), _sealed).LengthBytes
            : throw new InvalidOperationException("The record has no head.");
    }

    private static RecordKeys Keys()
    {
        RecordSuite suite = RecordSuite.Of(TlsCipherSuite.TLS_AES_128_GCM_SHA256);
        return RecordKeys.FromSecret(suite, new byte[suite.HashBytes]);
    }
}
