namespace Ioxide.Pg.Data;

/// <summary>A record: the objects of its fields, null for NULL.</summary>
internal sealed class RecordColumnReader(TypeCatalog types) : ColumnReader(typeof(object[]))
{
    internal override bool IsOfDatabase => true;

    internal override object Read(PgField field) => RecordWalk.Objects(field, types);

    internal override object? ReadAs(Type asked, PgField field) => asked == typeof(object[]) ? Read(field) : null;
}

/// <summary>An array of records of one dimension.</summary>
internal sealed class RecordArrayColumnReader(TypeCatalog types) : ColumnReader(typeof(Array))
{
    internal override bool IsOfDatabase => true;

    internal override object Read(PgField field) => RecordWalk.Objects(field, types);

    internal override object? ReadAs(Type asked, PgField field)
        => asked == typeof(object[][]) ? Read(field)
            : asked == typeof(List<object[]>) ? ((object[][])Read(field)).ToList()
            : null;
}
