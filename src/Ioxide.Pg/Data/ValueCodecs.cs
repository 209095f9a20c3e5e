using System.Collections;
using System.Collections.Concurrent;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;

namespace Ioxide.Pg.Data;

/// <summary>A codec for values that come as <see cref="object"/>, as ADO.NET has them.</summary>
internal abstract class ObjectCodec
{
    internal abstract Type Type { get; }

    internal abstract PgFormat Format { get; }

    internal abstract uint TypeIdOf(object value);

    internal abstract int Measure(object value);

    internal abstract void Write(object value, Span<byte> destination);

    internal abstract object Read(PgField field);
}

/// <inheritdoc/>
internal sealed class ObjectCodec<T>(PgCodec<T> codec, uint typeId = 0) : ObjectCodec
{
    internal override Type Type => typeof(T);

    internal override PgFormat Format => codec.ParameterFormat;

    internal override uint TypeIdOf(object value) => typeId != 0 ? typeId : codec.TypeIdOf((T)value);

    internal override int Measure(object value) => codec.Measure((T)value);

    internal override void Write(object value, Span<byte> destination) => codec.Write((T)value, destination);

    internal override object Read(PgField field) => codec.Read(field)!; // Never asked for NULL.
}

/// <summary>Finds the codec of a value by its type. No reflection: every type is named here or registered.</summary>
internal static class ValueCodecs
{
    private static readonly ConcurrentDictionary<Type, ObjectCodec> s_byType = Make();

    internal static ObjectCodec Text { get; } = new ObjectCodec<string>(PgCodecs<string>.Instance, PgTypeId.Text);

    /// <summary>The codec of a type, or null.</summary>
    internal static ObjectCodec? Find(Type type) => s_byType.TryGetValue(type, out ObjectCodec? codec) ? codec : null;

    /// <summary>A codec that an application registers serves the facade too.</summary>
    internal static void Register<T>(PgCodec<T> codec) => s_byType[typeof(T)] = new ObjectCodec<T>(codec);

    private static ConcurrentDictionary<Type, ObjectCodec> Make()
    {
        var map = new ConcurrentDictionary<Type, ObjectCodec>();
        AddValue<bool>(map);
        AddValue<short>(map);
        AddValue<int>(map);
        AddValue<long>(map);
        AddValue<uint>(map);
        AddValue<ulong>(map);
        AddValue<float>(map);
        AddValue<double>(map);
        AddValue<decimal>(map);
        AddValue<PgNumeric>(map);
        AddValue<BigInteger>(map);
        AddValue<Guid>(map);
        AddValue<DateTime>(map);
        AddValue<DateTimeOffset>(map);
        AddValue<DateOnly>(map);
        AddValue<TimeOnly>(map);
        AddValue<TimeSpan>(map);
        AddValue<PgTimestamp>(map);
        AddValue<PgDate>(map);
        AddValue<PgTimeTz>(map);
        AddValue<PgInterval>(map);
        AddValue<PgInet>(map);
        AddValue<IPNetwork>(map);
        AddValue<PgBits>(map);
        AddValue<JsonElement>(map);
        AddValue<PgPoint>(map);
        AddValue<PgLine>(map);
        AddValue<PgLineSegment>(map);
        AddValue<PgBox>(map);
        AddValue<PgCircle>(map);
        AddValue<PgPath>(map);
        AddValue<PgPolygon>(map);
        AddValue<PgVector>(map);
        AddValue<ReadOnlyMemory<byte>>(map);
        map[typeof(ReadOnlyMemory<byte>)] = new ObjectCodec<ReadOnlyMemory<byte>>(PgCodecs<ReadOnlyMemory<byte>>.Instance, PgTypeId.Bytea);
        AddItem<byte[]>(map);
        AddItem<JsonDocument>(map);
        AddItem<IPAddress>(map);
        AddItem<PhysicalAddress>(map);
        AddItem<BitArray>(map);
        Add<Dictionary<string, string?>>(map);
        AddRange<int>(map);
        AddRange<long>(map);
        AddRange<decimal>(map);
        AddRange<PgNumeric>(map);
        AddRange<DateTime>(map);
        AddRange<DateTimeOffset>(map);
        AddRange<PgTimestamp>(map);
        AddRange<DateOnly>(map);
        AddRange<PgDate>(map);

        // As an oid or xid8 it would turn negative in a cast, or have none: alone it is a number, see ParameterConversion.
        map.TryRemove(typeof(uint), out _);
        map.TryRemove(typeof(ulong), out _);
        map[typeof(char)] = new ObjectCodec<char>(PgCodecs<char>.Instance, PgTypeId.Text);
        map[typeof(string)] = new ObjectCodec<string>(PgCodecs<string>.Instance, PgTypeId.Text);
        map[typeof(string[])] = new ObjectCodec<string[]>(PgCodecs<string[]>.Instance, PgTypeId.TextArray);
        map[typeof(List<string>)] = new ObjectCodec<List<string>>(PgCodecs<List<string>>.Instance, PgTypeId.TextArray);
        return map;
    }

    private static void AddValue<T>(ConcurrentDictionary<Type, ObjectCodec> map)
        where T : struct
    {
        AddItem<T>(map);
        Add<T?[]>(map);
        Add<List<T?>>(map);
    }

    private static void AddItem<T>(ConcurrentDictionary<Type, ObjectCodec> map)
    {
        Add<T>(map);
        Add<T[]>(map);
        Add<List<T>>(map);
    }

    /// <summary>A range; an array of ranges, which is a multirange; a list of ranges, which is an array.</summary>
    private static void AddRange<T>(ConcurrentDictionary<Type, ObjectCodec> map)
    {
        AddItem<PgRange<T>>(map);
        Add<List<PgRange<T>?>>(map);
        AddItem<PgRange<T>[]>(map);
    }

    private static void Add<T>(ConcurrentDictionary<Type, ObjectCodec> map) => map[typeof(T)] = new ObjectCodec<T>(PgCodecs<T>.Instance);
}
