using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.RegularExpressions;

namespace Ioxide.Pg.Data;

/// <summary>The types of one database beside the built-in ones: enums, domains, composites, types of extensions, and their arrays.</summary>
/// <remarks>Immutable. Columns of these types arrive as text. Threads: any.</remarks>
internal sealed partial class TypeCatalog
{
    private const string Hstore = "hstore";

    internal static readonly TypeCatalog Empty = new([], []);

    // Arrays of elements that have no codec of their own are arrays of text.
    private static readonly ColumnReader s_text = ColumnReader.Of(PgTypeId.Text, -1);
    private static readonly ColumnReader s_texts = ColumnReader.Of(PgTypeId.TextArray, -1);
    private static readonly ColumnReader s_hstore = new ColumnReader<Dictionary<string, string?>>();
    private static readonly ColumnReader s_hstores = new ArrayColumnReader<Dictionary<string, string?>>();
    private static readonly ColumnReader s_labels = new TextArrayColumnReader(LabelCodec.Instance);

    private readonly Dictionary<uint, DatabaseType> _byId = [];
    private readonly Dictionary<uint, uint> _arrays = [];
    private readonly Dictionary<string, uint> _byName = [];
    private readonly Dictionary<uint, MappedType> _mapped = [];
    private readonly Dictionary<Type, (uint TypeId, ObjectCodec? Codec)> _parameters = [];
    private readonly ConcurrentDictionary<uint, ColumnReader> _readers = [];
    private readonly RecordColumnReader _record;
    private readonly RecordArrayColumnReader _records;

    /// <param name="types">What the catalogue of the database has.</param>
    /// <param name="mappedTypes">The types that the application maps.</param>
    /// <exception cref="PgProtocolException">A domain is based on itself.</exception>
    internal TypeCatalog(List<DatabaseType> types, MappedType[] mappedTypes)
    {
        _record = new RecordColumnReader(this);
        _records = new RecordArrayColumnReader(this);
        foreach (DatabaseType type in types)
        {
            _byId[type.TypeId] = type;
            if (type.Kind == DatabaseType.Array)
            {
                _arrays[type.BaseId] = type.TypeId;
            }
            else
            {
                // A name without a schema stands for the first type of that name.
                _byName.TryAdd(type.Name, type.TypeId);
                _byName[type.FullName] = type.TypeId;
            }
        }

        RequireBases();
        foreach (MappedType mapped in mappedTypes)
        {
            if (_byName.TryGetValue(mapped.Name, out uint typeId))
            {
                _mapped[typeId] = mapped;
                _parameters[mapped.Type] = (typeId, mapped.CodecOf(this, _byId[typeId]));
                uint arrayId = _arrays.GetValueOrDefault(typeId);
                foreach (ObjectCodec codec in mapped.ArrayCodecsOf(this, _byId[typeId], arrayId))
                {
                    _parameters[codec.Type] = (arrayId, codec);
                }
            }
        }

        if (_byName.TryGetValue(Hstore, out uint hstoreId))
        {
            _parameters[typeof(Dictionary<string, string?>)] = (hstoreId, null);
            _parameters[typeof(Dictionary<string, string?>[])] = (_arrays.GetValueOrDefault(hstoreId), null);
        }
    }

    /// <summary>The type that a parameter of a .NET type is sent as, and its codec if that depends on the database.</summary>
    internal bool TryFind(Type type, out (uint TypeId, ObjectCodec? Codec) found) => _parameters.TryGetValue(type, out found);

    /// <summary>The OID of a type by its name in SQL or in the catalogue, with or without its schema; 0: there is none.</summary>
    /// <param name="name">
    /// The name, with <c>[]</c> or, as in the catalogue, an underscore for an array. A length or precision is passed over, as on Npgsql. The name of
    /// a domain stands for its base type.
    /// </param>
    internal uint TypeIdOf(string name)
    {
        name = Modifier().Replace(name.Trim(), "");
        bool isArray = name.EndsWith("[]", StringComparison.Ordinal);
        string element = isArray ? name[..^2].TrimEnd() : name;
        uint typeId = NamedOrZero(element);
        if (typeId == 0 && !isArray && element.StartsWith('_'))
        {
            isArray = true;
            typeId = NamedOrZero(element[1..]);
        }

        return isArray ? ArrayOf(PlainOf(typeId)) : PlainOf(typeId);
    }

    private uint NamedOrZero(string name)
    {
        const string Catalog = "pg_catalog.";
        uint builtIn = PgTypeTable.TypeIdOf(name.StartsWith(Catalog, StringComparison.Ordinal) ? name[Catalog.Length..] : name);
        return builtIn != 0 ? builtIn : _byName.GetValueOrDefault(name);
    }

    [GeneratedRegex(@" *\([0-9, ]*\)")]
    private static partial Regex Modifier();

    /// <summary>The OID of an array's elements; 0: the type is no array.</summary>
    internal uint ElementOf(uint typeId)
        => PgTypeTable.Find(typeId) is { TypeId: not 0 } builtIn ? builtIn.Kind is PgTypeKind.Range or PgTypeKind.MultiRange ? 0 : builtIn.ElementId
            : TryFind(typeId, out DatabaseType? type) && type.Kind == DatabaseType.Array ? type.BaseId
            : 0;

    /// <summary>The name of a type that is not built in; null if it is not known.</summary>
    internal string? NameOf(uint typeId)
    {
        if (!TryFind(typeId, out DatabaseType? type))
        {
            return null;
        }

        bool isArray = type.Kind == DatabaseType.Array;
        uint scalarId = PlainOf(isArray ? type.BaseId : typeId);
        string? name = TryFind(scalarId, out DatabaseType? scalar) ? scalar.FullName
            : PgTypeTable.Find(scalarId).SqlName ?? PgTypeTable.NameOf(scalarId);
        return isArray ? name + "[]" : name;
    }

    /// <summary>The reader of a column.</summary>
    /// <param name="typeId">The OID of its type.</param>
    /// <param name="modifier">The modifier of its type.</param>
    internal ColumnReader ReaderOf(uint typeId, int modifier)
        => typeId == PgTypeId.Record ? _record
            : typeId == PgTypeId.RecordArray ? _records
            : PgTypeTable.Knows(typeId) ? ColumnReader.Of(typeId, modifier)
            : _readers.TryGetValue(typeId, out ColumnReader? reader) ? reader
            : _byId.ContainsKey(typeId) ? _readers.GetOrAdd(typeId, Make(typeId))
            : s_text; // Not kept: values may name any number of types that the catalogue lacks.

    private ColumnReader Make(uint typeId)
    {
        bool isArray = TryFind(typeId, out DatabaseType? type) && type.Kind == DatabaseType.Array;
        uint elementId = PlainOf(isArray ? type!.BaseId : typeId); // An array was found.
        if (_mapped.TryGetValue(elementId, out MappedType? mapped))
        {
            return isArray ? mapped.ArrayReaderOf(this, _byId[elementId]) : mapped.ReaderOf(this, _byId[elementId]);
        }

        return TryFind(elementId, out DatabaseType? known) && known.Name == Hstore ? isArray ? s_hstores : s_hstore
            : !isArray ? PgTypeTable.Knows(elementId) ? ColumnReader.Of(elementId, -1) : s_text
            : PgTypeTable.ArrayOf(elementId) is var arrayId and not 0 ? ColumnReader.Of(arrayId, -1)
            : known is not null && IsLabel(known) ? s_labels
            : s_texts;
    }

    /// <summary>The names and the types of a composite's fields, also where a domain is above it; null: the type is no composite.</summary>
    internal DatabaseType? CompositeOf(uint typeId)
        => TryFind(PlainOf(typeId), out DatabaseType? type) && type.Kind == DatabaseType.Composite ? type : null;

    /// <summary>A field of a record or composite, under the type by which it is read: the one below a domain; of a label, text.</summary>
    /// <exception cref="PgTypeException">It is in binary, in a form that is not read.</exception>
    internal PgField Within(PgField field)
    {
        uint typeId = PlainOf(field.TypeId);
        if (field.IsNull || field.Format == PgFormat.Text || PgTypeTable.ReadsBinary(typeId)
            || typeId is PgTypeId.Record or PgTypeId.RecordArray or PgTypeId.Int2Vector or PgTypeId.OidVector)
        {
            return new PgField(field.Bytes, typeId, field.Format, field.IsNull);
        }

        if (TryFind(typeId, out DatabaseType? type))
        {
            bool isArray = type.Kind == DatabaseType.Array;
            uint scalarId = isArray ? type.BaseId : typeId;
            if (TryFind(scalarId, out DatabaseType? scalar) && IsLabel(scalar))
            {
                return new PgField(field.Bytes, isArray ? PgTypeId.TextArray : PgTypeId.Text, PgFormat.Binary);
            }

            if (_mapped.ContainsKey(scalarId) || scalar?.Name == Hstore)
            {
                // The elements name their own type.
                return new PgField(field.Bytes, isArray ? PgTypeId.TextArray : typeId, PgFormat.Binary);
            }
        }

        throw new PgTypeException(
            $"A field of a record is of type {NameOf(typeId) ?? PgTypeTable.NameOf(typeId)}, whose binary form is not read. "
                + "Cast the field to text in the statement; read a composite with GetData, or map it.");
    }

    // Its binary form is its text.
    private static bool IsLabel(DatabaseType type) => type.Kind == DatabaseType.Enum || type.Name == "citext";

    /// <summary>Checks that the bases of each domain end at a type that is none: <see cref="PlainOf"/> follows them to there.</summary>
    private void RequireBases()
    {
        // For each domain that was reached, the one from which it was reached first: no base is followed twice.
        var reachedFrom = new Dictionary<uint, uint>();
        foreach (DatabaseType first in _byId.Values)
        {
            for (DatabaseType? type = first; type is { Kind: DatabaseType.Domain }; type = _byId.GetValueOrDefault(type.BaseId))
            {
                if (!reachedFrom.TryAdd(type.TypeId, first.TypeId))
                {
                    if (reachedFrom[type.TypeId] == first.TypeId)
                    {
                        throw new PgProtocolException(
                            $"The types of the database cannot be read: its catalogue bases the domain of OID {type.TypeId} on itself. "
                                + "Check pg_type.typbasetype, and that the server is PostgreSQL.");
                    }

                    break;
                }
            }
        }
    }

    /// <summary>The type below a domain; else the type itself.</summary>
    internal uint PlainOf(uint typeId)
    {
        while (TryFind(typeId, out DatabaseType? domain) && domain.Kind == DatabaseType.Domain)
        {
            typeId = domain.BaseId;
        }

        return typeId;
    }

    private uint ArrayOf(uint elementId) => PgTypeTable.ArrayOf(elementId) is var arrayId and not 0 ? arrayId : _arrays.GetValueOrDefault(elementId);

    private bool TryFind(uint typeId, [NotNullWhen(true)] out DatabaseType? type) => _byId.TryGetValue(typeId, out type);
}

/// <summary>A type that a database defines, as its catalogue describes it.</summary>
/// <param name="TypeId">Its OID.</param>
/// <param name="Schema">The schema that it is in.</param>
/// <param name="Name">Its name in that schema.</param>
/// <param name="Kind"><c>pg_type.typtype</c>, and <see cref="Array"/> for an array.</param>
/// <param name="BaseId">The OID of an array's elements or of a domain's base; otherwise 0.</param>
/// <param name="Fields">The names of a composite's fields, in their order; otherwise none.</param>
/// <param name="FieldIds">The OIDs of their types.</param>
internal sealed record DatabaseType(uint TypeId, string Schema, string Name, char Kind, uint BaseId, string[] Fields, long[] FieldIds)
{
    internal const char Array = 'a';
    internal const char Composite = 'c';
    internal const char Domain = 'd';
    internal const char Enum = 'e';

    internal string FullName => $"{Schema}.{Name}";
}

/// <summary>A .NET type that the application maps to a type of its database, by name.</summary>
internal abstract class MappedType(string name, Type type)
{
    /// <summary>The name in the database, with or without its schema.</summary>
    internal string Name { get; } = name;

    internal Type Type { get; } = type;

    /// <summary>Npgsql's names: <c>VeryHappy</c> is <c>very_happy</c>, <c>HTTPError</c> is <c>http_error</c>.</summary>
    internal static string SnakeCase(string name)
    {
        var text = new StringBuilder();
        for (int index = 0; index < name.Length; index++)
        {
            bool startsWord = char.IsUpper(name[index]) && index > 0 && name[index - 1] != '_'
                && (!char.IsUpper(name[index - 1]) || (index + 1 < name.Length && char.IsLower(name[index + 1])));
            text.Append(startsWord ? "_" : "").Append(char.ToLowerInvariant(name[index]));
        }

        return text.ToString();
    }

    /// <summary>The reader of a column of the type.</summary>
    internal abstract ColumnReader ReaderOf(TypeCatalog types, DatabaseType database);

    /// <summary>The reader of a column of its arrays.</summary>
    internal abstract ColumnReader ArrayReaderOf(TypeCatalog types, DatabaseType database);

    /// <summary>The codec of a parameter, which declares the OID of the type.</summary>
    internal abstract ObjectCodec CodecOf(TypeCatalog types, DatabaseType database);

    /// <summary>The codecs of parameters that are arrays of it.</summary>
    internal abstract IEnumerable<ObjectCodec> ArrayCodecsOf(TypeCatalog types, DatabaseType database, uint arrayId);
}

/// <inheritdoc/>
internal sealed class MappedType<T>(PgCodec<T> codec, string? name) : MappedType(name ?? SnakeCase(typeof(T).Name), typeof(T))
{
    internal override ColumnReader ReaderOf(TypeCatalog types, DatabaseType database)
        => new ColumnReader<T>(codec.ForDatabase(types, database.Fields));

    internal override ColumnReader ArrayReaderOf(TypeCatalog types, DatabaseType database)
    {
        PgCodec<T> element = codec.ForDatabase(types, database.Fields);
        return new ArrayColumnReader<T>(new VectorArrayCodec<T>(element), new MatrixArrayCodec<T>(element));
    }

    internal override ObjectCodec CodecOf(TypeCatalog types, DatabaseType database)
        => new ObjectCodec<T>(codec.ForDatabase(types, database.Fields), database.TypeId);

    internal override IEnumerable<ObjectCodec> ArrayCodecsOf(TypeCatalog types, DatabaseType database, uint arrayId)
    {
        PgCodec<T> element = codec.ForDatabase(types, database.Fields);
        yield return new ObjectCodec<T[]>(new VectorArrayCodec<T>(element), arrayId);
        yield return new ObjectCodec<List<T>>(new ListArrayCodec<T>(element), arrayId);
    }
}
