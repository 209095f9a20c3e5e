using BenchmarkDotNet.Attributes;
using Ioxide.Pg;

namespace Ioxide.Benchmarks;

/// <summary>A value into its wire form and back.</summary>
[GenericTypeArguments(typeof(bool))]
[GenericTypeArguments(typeof(int))]
[GenericTypeArguments(typeof(long))]
[GenericTypeArguments(typeof(double))]
[GenericTypeArguments(typeof(decimal))]
[GenericTypeArguments(typeof(Guid))]
[GenericTypeArguments(typeof(DateTime))]
[GenericTypeArguments(typeof(DateOnly))]
[GenericTypeArguments(typeof(TimeSpan))]
[GenericTypeArguments(typeof(string))]
[GenericTypeArguments(typeof(int[]))]
public class CodecBenchmarks<T>
{
    private readonly T _value = (T)CodecValues.Of(typeof(T));
    private readonly PgCodec<T> _codec = PgCodec.For<T>();
    private readonly byte[] _wire;

    public CodecBenchmarks()
    {
        _wire = new byte[_codec.Measure(_value)];
        _codec.Write(_value, _wire);
    }

    [Benchmark]
    public int Encode()
    {
        int length = _codec.Measure(_value);
        _codec.Write(_value, _wire);
        return length;
    }

    [Benchmark]
    public T Decode() => _codec.Read(new PgField(_wire, _codec.TypeIdOf(_value), PgFormat.Binary));
}
