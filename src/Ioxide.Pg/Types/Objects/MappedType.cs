using System.Text;

namespace Ioxide.Pg.Data;

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
